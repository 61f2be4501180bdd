// The containers of docs/format.md: what surrounds a payload in LevelDB and in RocksDB.
#ifndef BLOOMLINE_CORE_FORMAT_H_
#define BLOOMLINE_CORE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bloomline/sizing.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {

// The numbers are the `layout` field of the trailer.
enum class Layout : uint8_t { kClassic = 0, kBlocked = 1, kFlat = 3, kAlwaysMatch = 0xFF };

// What a decoder found. Always safe to query: data[0 .. num_bytes) exists, its length fits the
// layout, and num_probes is 1..30, or the layout is kAlwaysMatch. No bytes in another layout: no
// keys.
struct Payload {
  Layout layout = Layout::kAlwaysMatch;
  int num_probes = 0;
  uint64_t seed = 0;
  const char* data = nullptr;
  uint64_t num_bytes = 0;
};

// What a writer is about to make.
struct Shape {
  Layout layout;
  int num_probes;
  uint64_t payload_bytes;
};

constexpr size_t kTrailerBytes = 20;

// Section 5. `Decode` is total.
Payload DecodeStandalone(std::string_view filter);
bool HasTrailer(std::string_view filter);
void EncodeTrailer(const Shape& shape, uint64_t seed, char* dst);

// Section 4. `Decode` is total. Inline, because LevelDB decodes a filter at every query.
inline Payload DecodeLevelDB(std::string_view filter);
char LevelDBCode(const Shape& shape);
constexpr std::string_view kLevelDBAlwaysMatch("\x00\xFD", 2);

// LevelDB codes: code = base + k.
constexpr int kFlatCodeBase = 0x7F;
constexpr int kBlockedCodeBase = 0x9F;

inline bool ProbesInRange(int num_probes) {
  return num_probes >= kMinProbes && num_probes <= kMaxProbes;
}

inline bool LengthFits(Layout layout, uint64_t num_bytes) {
  if (layout == Layout::kFlat) return num_bytes <= UINT32_MAX / 8;
  return layout != Layout::kBlocked || num_bytes % kernels::kLineBytes == 0;
}

inline Payload DecodeLevelDB(std::string_view filter) {
  if (filter.empty()) return {Layout::kFlat, kMinProbes, 0, filter.data(), 0};
  if (filter.size() < 2) return {};
  const int code = static_cast<unsigned char>(filter.back());
  const uint64_t num_bytes = filter.size() - 1;
  Payload payload{Layout::kAlwaysMatch, 0, 0, filter.data(), num_bytes};
  if (ProbesInRange(code - kFlatCodeBase)) {
    payload.layout = Layout::kFlat;
    payload.num_probes = code - kFlatCodeBase;
  } else if (ProbesInRange(code)) {
    payload.layout = Layout::kClassic;
    payload.num_probes = code;
  } else if (ProbesInRange(code - kBlockedCodeBase)) {
    payload.layout = Layout::kBlocked;
    payload.num_probes = code - kBlockedCodeBase;
  }
  return LengthFits(payload.layout, num_bytes) ? payload : Payload{};
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_FORMAT_H_
