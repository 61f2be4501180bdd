#include "src/filter/format/trailer.h"

#include <algorithm>

#include "bloomline/key_canonicalizer.h"
#include "src/filter/format/canonical_keys.h"
#include "src/filter/format/other_contents.h"
#include "src/support/error_text.h"

namespace bloomline::filter {
namespace {

using kernels::kBlockBytes;

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
constexpr unsigned char kVersion2 = 2;  // records a canonicalizer
constexpr uint64_t kMaxPadding = kBlockBytes - 1;

static_assert(kPayloadUnits == kSeed + sizeof(uint64_t));
static_assert(kLayout == kPayloadUnits + sizeof(uint32_t));
static_assert(kParameter == kLayout + 1 && kPadding == kParameter + 1 && kMarker == kPadding + 1);
static_assert(kVersion == kMarker + kMarkerAndMagic.size() && kTrailerBytes == kVersion + 1);
static_assert(kMaxPadding == 63);

uint64_t ReadLittleEndian(const char* p, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(p[i]);
  return value;
}

void WriteLittleEndian(uint64_t value, size_t bytes, char* p) {
  for (size_t i = 0; i < bytes; ++i, value >>= 8) p[i] = static_cast<char>(value & 0xFF);
}

// Layouts of this container: the others are LevelDB's alone.
bool IsKnown(Layout layout) {
  return layout == Layout::kBlocked || layout == Layout::kFlat || layout == Layout::kCompact;
}

// The field `parameter`: k, or the arrangement of kCompact. Known layouts only.
struct ParameterRange {
  uint32_t min;
  uint32_t max;
};
ParameterRange AllowedParameter(Layout layout) {
  if (layout == Layout::kCompact) return {0, kernels::kNumArrangements - 1};
  return {kMinProbes, kMaxProbes};
}

// Known layouts only, with a parameter in range. No blocks yet.
FilterShape ShapeOf(Layout layout, uint32_t parameter) {
  if (layout == Layout::kCompact) return FilterShape::Compact(0, parameter);
  const int num_probes = static_cast<int>(parameter);
  return layout == Layout::kBlocked ? FilterShape::Blocked(0, num_probes)
                                    : FilterShape::Flat(0, num_probes);
}

// What matches everything. The reason is put together only if it is wanted.
template <typename... Parts>
Payload Refuse(std::string* why, const Parts&... parts) {
  if (why != nullptr) {
    support::ErrorText text;
    (text << ... << parts);
    *why = text.str();
  }
  return {};
}

int VersionOf(std::string_view filter) { return static_cast<unsigned char>(filter.back()); }

// The byte before the trailer, in version 2. 0 if there is none.
size_t NameLength(std::string_view filter) {
  if (filter.size() <= kTrailerBytes) return 0;
  return static_cast<unsigned char>(filter[filter.size() - kTrailerBytes - 1]);
}

// The name that a filter of version 2 records; empty if its length is not allowed.
std::string_view RecordedName(std::string_view filter) {
  const size_t length = NameLength(filter);
  if (length == 0 || length > kMaxCanonicalizerNameBytes) return {};
  if (filter.size() < kTrailerBytes + 1 + length) return {};
  return filter.substr(filter.size() - kTrailerBytes - 1 - length, length);
}

}  // namespace

std::string ValidateForTrailer(const FilterOptions& options) {
  support::ErrorText error;
  error << std::string_view(options.Validate());
  if (error.empty() && options.format == Format::kClassic) {
    error << "format is classic, which is written in LevelDB only; allowed: blocked, compact";
  }
  return error.str();
}

void EncodeTrailer(const FilterShape& shape, uint64_t seed, char* dst,
                   std::string_view canonicalizer) {
  if (!canonicalizer.empty()) {
    dst += canonicalizer.copy(dst, canonicalizer.size());
    *dst++ = static_cast<char>(canonicalizer.size());
  }
  WriteLittleEndian(seed, 8, dst + kSeed);
  WriteLittleEndian(shape.num_blocks, 4, dst + kPayloadUnits);
  const uint32_t parameter = shape.layout == Layout::kCompact
                                 ? shape.arrangement
                                 : static_cast<uint32_t>(shape.num_probes);
  dst[kLayout] = static_cast<char>(shape.layout);
  dst[kParameter] = static_cast<char>(parameter);
  dst[kPadding] = 0;
  kMarkerAndMagic.copy(dst + kMarker, kMarkerAndMagic.size());
  dst[kVersion] = static_cast<char>(canonicalizer.empty() ? kVersion1 : kVersion2);
}

bool HasTrailer(std::string_view filter) {
  return filter.size() >= kTrailerBytes && filter.substr(filter.size() - kTrailerBytes + kMarker,
                                                         kMarkerAndMagic.size()) == kMarkerAndMagic;
}

Payload DecodeStandalone(std::string_view filter, std::string* why,
                         std::string_view canonicalizer) {
  if (filter.size() < kTrailerBytes) {
    return Refuse(why, "it has ", filter.size(), " bytes; a trailer alone has ", kTrailerBytes);
  }
  if (!HasTrailer(filter)) {
    const std::string_view saved = SavedKind(filter);
    const std::string_view kind = saved.empty() ? TableKind(filter) : saved;
    if (kind.empty()) return Refuse(why, "no bloomline trailer at its end");
    return Refuse(why, "it is ", kind, ", not a static filter");
  }
  const char* trailer = filter.data() + filter.size() - kTrailerBytes;
  const Layout layout{static_cast<unsigned char>(trailer[kLayout])};
  const uint32_t parameter = static_cast<unsigned char>(trailer[kParameter]);
  const uint64_t padding = static_cast<unsigned char>(trailer[kPadding]);
  const int version = VersionOf(filter);
  std::string_view recorded;
  if (version == kVersion2) {
    recorded = RecordedName(filter);
    if (recorded.empty()) {
      return Refuse(why, "its canonicalizer's name has ", NameLength(filter),
                    " bytes; allowed: 1 to ", kMaxCanonicalizerNameBytes,
                    ", and no more than the filter has");
    }
  } else if (version != kVersion1) {
    return Refuse(why, "version is ", version, "; known: ", int{kVersion1}, ", ", int{kVersion2});
  }
  if (recorded != canonicalizer) {
    const auto name_of = [](std::string_view name) {
      if (name.empty()) return std::string_view("none");
      return IsCanonicalizerName(name) ? name : "a name that is not allowed";
    };
    return Refuse(why, "its canonicalizer is ", name_of(recorded), "; the reader's is ",
                  name_of(canonicalizer));
  }
  const size_t end_bytes = EndBytes(recorded);
  if (layout == Layout::kAlwaysMatch) {
    return Refuse(why, "its writer said so: invalid options, or out of memory");
  }
  if (!IsKnown(layout)) return Refuse(why, "layout ", static_cast<int>(layout), " is unknown");
  const ParameterRange allowed = AllowedParameter(layout);
  if (parameter < allowed.min || parameter > allowed.max) {
    return Refuse(why, "parameter is ", parameter, "; allowed: ", allowed.min, " to ", allowed.max);
  }
  if (padding > kMaxPadding || filter.size() < end_bytes + padding) {
    return Refuse(why, "padding is ", padding, "; allowed: 0 to ",
                  std::min<uint64_t>(kMaxPadding, filter.size() - end_bytes));
  }
  FilterShape shape = ShapeOf(layout, parameter);
  const uint64_t num_bytes = filter.size() - end_bytes - padding;
  shape.num_blocks = num_bytes / shape.block_bytes;
  const uint64_t units = ReadLittleEndian(trailer + kPayloadUnits, 4);
  const bool too_long = layout == Layout::kFlat && num_bytes > kMaxFlatBytes;
  if (too_long || num_bytes % shape.block_bytes != 0 || (shape.num_blocks & 0xFFFFFFFF) != units) {
    return Refuse(why, "payload has ", num_bytes, " bytes; the trailer says ", units, " units of ",
                  shape.block_bytes);
  }
  return {shape, ReadLittleEndian(trailer + kSeed, 8), filter.data() + padding};
}

}  // namespace bloomline::filter

namespace bloomline {

std::string_view RecordedCanonicalizer(std::string_view filter) {
  const bool has_name =
      filter::HasTrailer(filter) && filter::VersionOf(filter) == filter::kVersion2;
  const std::string_view name = has_name ? filter::RecordedName(filter) : std::string_view();
  return filter::IsCanonicalizerName(name) ? name : std::string_view();  // damage may be any bytes
}

}  // namespace bloomline
