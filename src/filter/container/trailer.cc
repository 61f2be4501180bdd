#include "src/filter/container/trailer.h"

#include <cstring>

#include "src/filter/bits/bytes.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"

namespace bloomline::filter {
namespace {

using support::Refuse;

// Trailer offsets.
constexpr size_t kSeed = 0;
constexpr size_t kPayloadUnits = 8;
constexpr size_t kLayout = 12;
constexpr size_t kParameter = 13;
constexpr size_t kExtensionBytes = 14;
constexpr size_t kMarker = 15;
constexpr std::string_view kMarkerAndMagic("\0bLn", 4);
constexpr size_t kVersion = 19;
constexpr unsigned char kKnownVersion = 1;
constexpr unsigned kAlwaysMatchNumber = static_cast<uint8_t>(FilterShape().layout);

static_assert(kPayloadUnits == kSeed + sizeof(uint64_t));
static_assert(kLayout == kPayloadUnits + sizeof(uint32_t));
static_assert(kMarker == kExtensionBytes + 1 && kExtensionBytes == kParameter + 1);
static_assert(kVersion == kMarker + kMarkerAndMagic.size() && kTrailerBytes == kVersion + 1);

// Tags of an extension's fields. Tag 1 marked filters of canonical keys. RocksDB queries with the
// original keys, so such filters must match.
constexpr unsigned kSecondPayload = 2;
constexpr unsigned kRows = 3;
constexpr unsigned kFirstThatMayBeSkipped = 128;
constexpr unsigned kFilling = 130;
constexpr size_t kFieldHeadBytes = 2;  // tag and length
constexpr size_t kSecondPayloadContentBytes = 6;
constexpr size_t kRowsContentBytes = kRowsFieldBytes - kFieldHeadBytes;

unsigned ByteAt(std::string_view bytes, size_t i) { return static_cast<unsigned char>(bytes[i]); }

std::string_view TrailerBytes(std::string_view filter) {
  return filter.substr(filter.size() - kTrailerBytes);
}

// These return false, with the reason in *why, unless everything is understood.

// Sets layout and parameters of the shape, but not its number of blocks.
bool ReadShape(unsigned layout, uint32_t parameter, const LayoutRow** row, FilterShape* shape,
               std::string* why) {
  *row = &LayoutRowFor(static_cast<Layout>(layout));
  if ((*row)->trailer_shape == nullptr) return Refuse(why, "layout ", layout, " is unknown");
  if (parameter < (*row)->min_parameter || parameter > (*row)->max_parameter) {
    return Refuse(why, "parameter is ", parameter, "; allowed: ", (*row)->min_parameter, " to ",
                  (*row)->max_parameter);
  }
  *shape = (*row)->trailer_shape(parameter);
  return true;
}

bool ReadSecondPayload(std::string_view content, FilterShape* shape, std::string* why) {
  if (content.size() != kSecondPayloadContentBytes) {
    return Refuse(why, "its second payload is described in ", content.size(),
                  " bytes; allowed: ", kSecondPayloadContentBytes);
  }
  const LayoutRow* row;
  if (!ReadShape(ByteAt(content, 0), ByteAt(content, 1), &row, shape, why)) return false;
  shape->num_blocks = kernels::LoadLittleEndian32(content.data() + 2);
  if (shape->num_blocks == 0 || shape->payload_bytes() > row->max_payload_bytes) {
    return Refuse(why, "its second payload has ", shape->num_blocks, " units");
  }
  return true;
}

// The fields of an extension.
struct Extension {
  FilterShape second_payload = FilterShape::Blocked(0, 1);
  uint32_t row_blocks = 0;
};

bool ReadRows(std::string_view content, uint32_t* row_blocks, std::string* why) {
  if (content.size() != kRowsContentBytes) {
    return Refuse(why, "the blocks of its rows have ", content.size(),
                  " bytes; allowed: ", kRowsContentBytes);
  }
  *row_blocks = ByteAt(content, 0) | ByteAt(content, 1) << 8 | ByteAt(content, 2) << 16;
  return true;
}

bool ReadExtension(std::string_view extension, Extension* fields, std::string* why) {
  for (unsigned last_tag = 0; !extension.empty();) {
    const unsigned tag = ByteAt(extension, 0);
    if (tag <= last_tag) {
      return Refuse(why, "its extension has tag ", tag, " after ", last_tag,
                    "; allowed: ascending tags, from 1 on");
    }
    last_tag = tag;
    extension.remove_prefix(1);
    const size_t length = extension.empty() ? 0 : ByteAt(extension, 0);
    if (extension.size() <= length) {
      return Refuse(why, "its extension ends within the field of tag ", tag);
    }
    if (tag == kSecondPayload) {
      if (!ReadSecondPayload(extension.substr(1, length), &fields->second_payload, why)) {
        return false;
      }
    } else if (tag == kRows) {
      if (!ReadRows(extension.substr(1, length), &fields->row_blocks, why)) return false;
    } else if (tag < kFirstThatMayBeSkipped) {
      return Refuse(why, "its extension has tag ", tag, ", which this version does not know");
    }
    extension.remove_prefix(1 + length);
  }
  return true;
}

// Sets *payload_bytes to the number of bytes before the second payload, the extension and the
// trailer.
bool ReadTail(std::string_view filter, Extension* fields, uint64_t* payload_bytes,
              std::string* why) {
  if (filter.size() < kTrailerBytes) {
    return Refuse(why, "it has ", filter.size(), " bytes; a trailer alone has ", kTrailerBytes);
  }
  if (!HasTrailer(filter)) return Refuse(why, "no bloomline trailer at its end");
  const unsigned version = ByteAt(filter, filter.size() - 1);
  if (version != kKnownVersion) {
    return Refuse(why, "version is ", version, "; known: ", unsigned{kKnownVersion});
  }
  const size_t extension_bytes = ByteAt(TrailerBytes(filter), kExtensionBytes);
  const size_t most = filter.size() - kTrailerBytes;
  if (extension_bytes > most) {
    return Refuse(why, "its extension has ", extension_bytes, " bytes; the filter has ", most,
                  " before the trailer");
  }
  const size_t before = most - extension_bytes;
  if (!ReadExtension(filter.substr(before, extension_bytes), fields, why)) return false;
  const uint64_t second_bytes = fields->second_payload.payload_bytes();
  if (second_bytes > before) {
    return Refuse(why, "its second payload has ", second_bytes, " bytes; the filter has ", before,
                  " before the extension");
  }
  *payload_bytes = before - second_bytes;
  return true;
}

// Checks the number of row blocks, which only Ribbon filters have.
bool CheckRows(const LayoutRow& row, const FilterShape& shape, std::string* why) {
  constexpr uint32_t kMinBlocks = 2;
  if (!row.has_rows_field) {
    if (shape.row_blocks == 0) return true;
    return Refuse(why, "its extension has blocks of rows, and the layout has no rows");
  }
  const uint64_t most = uint64_t{shape.row_blocks} * stock::RibbonShape::kMaxColumns;
  if (shape.row_blocks >= kMinBlocks && shape.num_blocks <= most) return true;
  return Refuse(why, "it has ", shape.row_blocks, " blocks of rows and ", shape.num_blocks,
                " segments; allowed: ", kMinBlocks, " blocks or more, and at most ",
                stock::RibbonShape::kMaxColumns, " segments for each");
}

bool Decode(std::string_view filter, Payload* payload, std::string* why) {
  uint64_t num_bytes;
  Extension fields;
  if (!ReadTail(filter, &fields, &num_bytes, why)) return false;
  const std::string_view trailer = TrailerBytes(filter);
  const unsigned layout = ByteAt(trailer, kLayout);
  if (layout == kAlwaysMatchNumber) {
    *payload = Payload();
    return Refuse(why, "its writer said so: invalid options, or out of memory");
  }
  const LayoutRow* row;
  FilterShape shape;
  if (!ReadShape(layout, ByteAt(trailer, kParameter), &row, &shape, why)) return false;
  shape.num_blocks = num_bytes / shape.block_bytes;
  shape.row_blocks = fields.row_blocks;
  const uint64_t units = kernels::LoadLittleEndian32(trailer.data() + kPayloadUnits);
  if (num_bytes > row->max_payload_bytes || num_bytes % shape.block_bytes != 0 ||
      (shape.num_blocks & UINT32_MAX) != units) {
    return Refuse(why, "payload has ", num_bytes, " bytes; the trailer says ", units, " units of ",
                  shape.block_bytes);
  }
  if (!CheckRows(*row, shape, why)) return false;
  *payload = {shape, kernels::LoadLittleEndian64(trailer.data() + kSeed), filter.data()};
  return !shape.always_matches() || Refuse(why, kFormerCompactText);
}

}  // namespace

const char kFormerCompactText[] =
    "a compact filter of bloomline before 0.4.0: build it again from its keys, as ribbon or "
    "blocked";

size_t EndBytes(const FilterShape& shape) {
  return kTrailerBytes + (LayoutRowFor(shape.layout).has_rows_field ? kRowsFieldBytes : 0);
}

void EncodeEnd(const FilterShape& shape, uint64_t seed, size_t end_bytes, char* dst) {
  size_t extension_bytes = end_bytes - kTrailerBytes;
  char* const trailer = dst + extension_bytes;
  std::memset(dst, 0, extension_bytes);
  if (static_cast<uint8_t>(shape.layout) == kAlwaysMatchNumber) {
    extension_bytes = 0;
  } else if (extension_bytes != 0) {
    const bool has_rows = LayoutRowFor(shape.layout).has_rows_field;
    dst[0] = static_cast<char>(has_rows ? kRows : kFilling);
    dst[1] = static_cast<char>(extension_bytes - kFieldHeadBytes);
    for (size_t i = 0; has_rows && i < kRowsContentBytes; ++i) {
      dst[kFieldHeadBytes + i] = static_cast<char>(shape.row_blocks >> 8 * i);
    }
  }
  kernels::StoreLittleEndian64(seed, trailer + kSeed);
  kernels::StoreLittleEndian32(static_cast<uint32_t>(shape.num_blocks),  // modulo 2^32
                               trailer + kPayloadUnits);
  trailer[kLayout] = static_cast<char>(shape.layout);
  trailer[kParameter] = static_cast<char>(shape.parameter());
  trailer[kExtensionBytes] = static_cast<char>(extension_bytes);
  kMarkerAndMagic.copy(trailer + kMarker, kMarkerAndMagic.size());
  trailer[kVersion] = static_cast<char>(kKnownVersion);
}

bool HasTrailer(std::string_view filter) {
  return filter.size() >= kTrailerBytes &&
         TrailerBytes(filter).substr(kMarker, kMarkerAndMagic.size()) == kMarkerAndMagic;
}

Payload DecodeTrailer(std::string_view filter, std::string* why) {
  Payload payload{FilterShape::Unknown()};
  Decode(filter, &payload, why);
  return payload;
}

}  // namespace bloomline::filter
