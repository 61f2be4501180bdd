#include "src/format/format.h"

#include <algorithm>
#include <sstream>

#include "src/errors/error_text.h"

namespace bloomline::core {
namespace {

using kernels::kLineBytes;

// Trailer offsets.
constexpr size_t kSeed = 0;
constexpr size_t kPayloadUnits = 8;
constexpr size_t kLayout = 12;
constexpr size_t kParameter = 13;
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

// Known layouts only.
uint32_t UnitBytes(Layout layout) {
  if (layout == Layout::kPackedCompact) return kPackedCompactLineBytes;
  return layout == Layout::kBlocked || layout == Layout::kCompactLanes ? kLineBytes : 1;
}

// Layouts of the trailer container. Classic is LevelDB's alone.
bool IsKnown(Layout layout) {
  return layout == Layout::kBlocked || layout == Layout::kFlat || IsCompact(layout);
}

struct ParameterRange {
  uint32_t min;
  uint32_t max;
};

ParameterRange AllowedParameter(Layout layout) {
  if (layout == Layout::kCompactLanes) return {kMinLanesBaseSlots, kMaxLanesBaseSlots};
  if (IsCompact(layout)) return {1, kMaxBaseSlots};
  return {kMinProbes, kMaxProbes};
}

// What matches everything; the reason is put together only for those who ask.
template <typename... Parts>
Payload Refuse(std::string* why, const Parts&... parts) {
  if (why != nullptr) {
    std::ostringstream text;
    (text << ... << parts);
    *why = text.str();
  }
  return {};
}

}  // namespace

std::string ValidateForTrailer(const FilterOptions& options) {
  ErrorText error;
  error << std::string_view(options.Validate());
  if (error.empty() && options.format == Format::kClassic) {
    error << "format is classic, which is written in LevelDB only; allowed: blocked, compact";
  }
  return error.str();
}

bool HasTrailer(std::string_view filter) {
  return filter.size() >= kTrailerBytes && filter.substr(filter.size() - kTrailerBytes + kMarker,
                                                         kMarkerAndMagic.size()) == kMarkerAndMagic;
}

Payload DecodeStandalone(std::string_view filter, std::string* why) {
  if (filter.size() < kTrailerBytes) {
    return Refuse(why, "it has ", filter.size(), " bytes; a trailer alone has ", kTrailerBytes);
  }
  if (!HasTrailer(filter)) return Refuse(why, "no bloomline trailer at its end");
  const char* trailer = filter.data() + filter.size() - kTrailerBytes;
  const Layout layout{static_cast<unsigned char>(trailer[kLayout])};
  const uint32_t parameter = static_cast<unsigned char>(trailer[kParameter]);
  const uint64_t padding = static_cast<unsigned char>(trailer[kPadding]);
  const int version = static_cast<unsigned char>(trailer[kVersion]);
  if (version != kVersion1) {
    return Refuse(why, "version is ", version, "; known: ", int{kVersion1});
  }
  if (layout == Layout::kAlwaysMatch) {
    return Refuse(why, "its writer said so: invalid options, or out of memory");
  }
  if (!IsKnown(layout)) return Refuse(why, "layout ", static_cast<int>(layout), " is unknown");
  const ParameterRange allowed = AllowedParameter(layout);
  if (parameter < allowed.min || parameter > allowed.max) {
    return Refuse(why, "parameter is ", parameter, "; allowed: ", allowed.min, " to ", allowed.max);
  }
  if (padding > kMaxPadding || filter.size() < kTrailerBytes + padding) {
    return Refuse(why, "padding is ", padding, "; allowed: 0 to ",
                  std::min<uint64_t>(kMaxPadding, filter.size() - kTrailerBytes));
  }
  const uint64_t num_bytes = filter.size() - kTrailerBytes - padding;
  const uint64_t units = ReadLittleEndian(trailer + kPayloadUnits, 4);
  const uint32_t unit_bytes = UnitBytes(layout);
  if (!LengthFits(layout, num_bytes) || num_bytes % unit_bytes != 0 ||
      (num_bytes / unit_bytes & 0xFFFFFFFF) != units) {
    return Refuse(why, "payload has ", num_bytes, " bytes; the trailer says ", units, " units of ",
                  unit_bytes);
  }
  return {layout,
          parameter,
          ReadLittleEndian(trailer + kSeed, 8),
          filter.data() + padding,
          num_bytes,
          unit_bytes,
          num_bytes / unit_bytes};
}

void EncodeTrailer(const Shape& shape, uint64_t seed, char* dst) {
  WriteLittleEndian(seed, 8, dst + kSeed);
  WriteLittleEndian(shape.payload_bytes / shape.line_bytes, 4, dst + kPayloadUnits);
  dst[kLayout] = static_cast<char>(shape.layout);
  dst[kParameter] = static_cast<char>(shape.parameter);
  dst[kPadding] = 0;
  kMarkerAndMagic.copy(dst + kMarker, kMarkerAndMagic.size());
  dst[kVersion] = static_cast<char>(kVersion1);
}

char LevelDBCode(const Shape& shape) {
  const int parameter = static_cast<int>(shape.parameter);
  switch (shape.layout) {
    case Layout::kClassic:
      return static_cast<char>(parameter);
    case Layout::kFlat:
      return static_cast<char>(kFlatCodeBase + parameter);
    case Layout::kBlocked:
      return static_cast<char>(kBlockedCodeBase + parameter);
    case Layout::kPackedCompact:
      return static_cast<char>(kCompactCodeBase +
                               static_cast<int>(shape.payload_bytes / shape.line_bytes));
    case Layout::kCompactLanes:  // not used in LevelDB
    case Layout::kAlwaysMatch:
      break;
  }
  return kLevelDBAlwaysMatch.back();
}

}  // namespace bloomline::core
