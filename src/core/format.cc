#include "src/core/format.h"

namespace bloomline::core {
namespace {

using kernels::kLineBytes;

// Trailer offsets.
constexpr size_t kSeed = 0;
constexpr size_t kPayloadUnits = 8;
constexpr size_t kLayout = 12;
constexpr size_t kNumProbes = 13;
constexpr size_t kPadding = 14;
constexpr size_t kMarker = 15;
constexpr std::string_view kMarkerAndMagic("\0bLn", 4);
constexpr size_t kVersion = 19;
constexpr unsigned char kVersion1 = 1;
constexpr uint64_t kMaxPadding = kLineBytes - 1;

uint64_t ReadLittleEndian(const char* p, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(p[i]);
  return value;
}

void WriteLittleEndian(uint64_t value, size_t bytes, char* p) {
  for (size_t i = 0; i < bytes; ++i, value >>= 8) p[i] = static_cast<char>(value & 0xFF);
}

uint64_t UnitBytes(Layout layout) { return layout == Layout::kBlocked ? kLineBytes : 1; }

}  // namespace

bool HasTrailer(std::string_view filter) {
  return filter.size() >= kTrailerBytes && filter.substr(filter.size() - kTrailerBytes + kMarker,
                                                         kMarkerAndMagic.size()) == kMarkerAndMagic;
}

Payload DecodeStandalone(std::string_view filter) {
  if (!HasTrailer(filter)) return {};
  const char* trailer = filter.data() + filter.size() - kTrailerBytes;
  const Layout layout{static_cast<unsigned char>(trailer[kLayout])};
  const int num_probes = static_cast<unsigned char>(trailer[kNumProbes]);
  const uint64_t padding = static_cast<unsigned char>(trailer[kPadding]);
  if (static_cast<unsigned char>(trailer[kVersion]) != kVersion1) return {};
  if (layout != Layout::kClassic && layout != Layout::kBlocked && layout != Layout::kFlat)
    return {};
  if (!ProbesInRange(num_probes) || padding > kMaxPadding) return {};
  if (filter.size() < kTrailerBytes + padding) return {};
  const uint64_t num_bytes = filter.size() - kTrailerBytes - padding;
  const uint64_t units = ReadLittleEndian(trailer + kPayloadUnits, 4);
  if (!LengthFits(layout, num_bytes)) return {};
  if ((num_bytes / UnitBytes(layout) & 0xFFFFFFFF) != units) return {};
  return {layout, num_probes, ReadLittleEndian(trailer + kSeed, 8), filter.data() + padding,
          num_bytes};
}

void EncodeTrailer(const Shape& shape, uint64_t seed, char* dst) {
  WriteLittleEndian(shape.layout == Layout::kClassic ? 0 : seed, 8, dst + kSeed);
  WriteLittleEndian(shape.payload_bytes / UnitBytes(shape.layout), 4, dst + kPayloadUnits);
  dst[kLayout] = static_cast<char>(shape.layout);
  dst[kNumProbes] = static_cast<char>(shape.num_probes);
  dst[kPadding] = 0;
  kMarkerAndMagic.copy(dst + kMarker, kMarkerAndMagic.size());
  dst[kVersion] = static_cast<char>(kVersion1);
}

char LevelDBCode(const Shape& shape) {
  switch (shape.layout) {
    case Layout::kClassic:
      return static_cast<char>(shape.num_probes);
    case Layout::kFlat:
      return static_cast<char>(kFlatCodeBase + shape.num_probes);
    case Layout::kBlocked:
      return static_cast<char>(kBlockedCodeBase + shape.num_probes);
    case Layout::kAlwaysMatch:
      break;
  }
  return kLevelDBAlwaysMatch.back();
}

}  // namespace bloomline::core
