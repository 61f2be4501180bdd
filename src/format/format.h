// The containers of docs/format.md: what surrounds a payload in LevelDB and in RocksDB.
#ifndef BLOOMLINE_FORMAT_FORMAT_H_
#define BLOOMLINE_FORMAT_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/format/num_probes.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {

// The numbers are the `layout` field of the trailer.
enum class Layout : uint8_t {
  kClassic = 0,  // LevelDB only: reserved in the trailer
  kBlocked = 1,
  // 2 is reserved: it was packed compact in blocks of 64 bytes, before the first release.
  kFlat = 3,
  kPackedCompact = 4,
  kCompactLanes = 5,
  kAlwaysMatch = 0xFF
};

inline bool IsCompact(Layout layout) {
  return layout == Layout::kPackedCompact || layout == Layout::kCompactLanes;
}

// What a decoder found. Always safe to query: data[0 .. num_bytes) exists, its length and the
// parameter fit the layout. No bytes in another layout than kAlwaysMatch: no keys.
struct Payload {
  Layout layout = Layout::kAlwaysMatch;
  uint32_t parameter = 0;  // k; compact: base_slots
  uint64_t seed = 0;
  const char* data = nullptr;
  uint64_t num_bytes = 0;
  uint32_t line_bytes = 1;  // blocked, compact; else 1
  uint64_t num_lines = 0;   // num_bytes / line_bytes, divided once
};

// What a writer is about to make.
struct Shape {
  Layout layout = Layout::kAlwaysMatch;
  uint32_t parameter = 0;  // as in Payload
  uint64_t payload_bytes = 0;
  uint32_t line_bytes = 1;  // as in Payload
};

constexpr size_t kTrailerBytes = 20;
constexpr uint32_t kPackedCompactLineBytes = 32;  // in the trailer container

// Section 5. `Decode` is total. If the result matches everything, *why, if not null, is set to the
// reason.
Payload DecodeStandalone(std::string_view filter, std::string* why = nullptr);
bool HasTrailer(std::string_view filter);

// FilterOptions::Validate, and that the format has a layout here: kClassic has none.
std::string ValidateForTrailer(const FilterOptions& options);
void EncodeTrailer(const Shape& shape, uint64_t seed, char* dst);

// Section 4. `Decode` is total. Inline, because LevelDB decodes a filter at every query.
inline Payload DecodeLevelDB(std::string_view filter);
char LevelDBCode(const Shape& shape);
constexpr std::string_view kLevelDBAlwaysMatch("\x00\xFD", 2);

// LevelDB codes: code = base + k.
constexpr int kFlatCodeBase = 0x7F;
constexpr int kBlockedCodeBase = 0x9F;

// Compact: code = base + number of lines, in lines of at least so many bytes.
constexpr int kCompactCodeBase = 0xBF;
constexpr int kMaxLevelDBCompactLines = 32;
constexpr uint32_t kMinCompactLineBytes = 8;
constexpr uint32_t kMaxBaseSlots = 50;
constexpr uint32_t kMinLanesBaseSlots = 21;
constexpr uint32_t kMaxLanesBaseSlots = 64;
constexpr uint32_t kLevelDBBaseSlots = 8;

inline bool LengthFits(Layout layout, uint64_t num_bytes) {
  if (layout == Layout::kFlat) return num_bytes <= UINT32_MAX / 8;
  return layout != Layout::kBlocked || num_bytes % kernels::kLineBytes == 0;
}

inline Payload DecodeLevelDBCompact(std::string_view filter, uint64_t num_lines) {
  const uint64_t num_bytes = filter.size() - 1;
  const uint64_t line_bytes = num_bytes / num_lines;
  if (num_bytes % num_lines != 0) return {};
  if (line_bytes < kMinCompactLineBytes || line_bytes > kernels::kLineBytes) return {};
  return {Layout::kPackedCompact,
          kLevelDBBaseSlots,
          0,
          filter.data(),
          num_bytes,
          static_cast<uint32_t>(line_bytes),
          num_lines};
}

inline Payload DecodeLevelDB(std::string_view filter) {
  if (filter.empty()) return {Layout::kFlat, kMinProbes, 0, filter.data(), 0, 1, 0};
  if (filter.size() < 2) return {};
  const int code = static_cast<unsigned char>(filter.back());
  const uint64_t num_bytes = filter.size() - 1;
  if (code > kCompactCodeBase && code <= kCompactCodeBase + kMaxLevelDBCompactLines) {
    return DecodeLevelDBCompact(filter, static_cast<uint64_t>(code - kCompactCodeBase));
  }
  Payload payload{Layout::kAlwaysMatch, 0, 0, filter.data(), num_bytes, 1, num_bytes};
  int num_probes = 0;
  if (ProbesInRange(code - kFlatCodeBase)) {
    payload.layout = Layout::kFlat;
    num_probes = code - kFlatCodeBase;
  } else if (ProbesInRange(code)) {
    payload.layout = Layout::kClassic;
    num_probes = code;
  } else if (ProbesInRange(code - kBlockedCodeBase)) {
    payload.layout = Layout::kBlocked;
    num_probes = code - kBlockedCodeBase;
    payload.line_bytes = kernels::kLineBytes;
    payload.num_lines = num_bytes / kernels::kLineBytes;
  }
  payload.parameter = static_cast<uint32_t>(num_probes);
  return LengthFits(payload.layout, num_bytes) ? payload : Payload{};
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_FORMAT_FORMAT_H_
