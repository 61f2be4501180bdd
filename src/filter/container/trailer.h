// The trailer container: filters inside RocksDB and on their own (docs/format.md, section 5).
//
//   +------------------------------+----------------+------------+-------------------+
//   | payload, num_blocks blocks   | second payload | extension  | trailer, 20 bytes |
//   +------------------------------+----------------+------------+-------------------+
//
//   offset   0           8           12      13         14         15      16      19
//   trailer  | seed      | units     | layout| param    | extension| 0x00  | "bLn" | version
//            | 8 bytes   | mod 2^32  | 1     | 1        | bytes    | marker| magic | 1
//
//   extension  fields of ascending tags: | tag | length | content |. Tag 2 has the shape of the
//              second payload, tags 128 and 129 are for ranges (filter/ranges). Tag 1 is
//              reserved. Most filters have no fields.
#ifndef BLOOMLINE_FILTER_CONTAINER_TRAILER_H_
#define BLOOMLINE_FILTER_CONTAINER_TRAILER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/bits/filter_shape.h"

namespace bloomline::filter {

constexpr size_t kTrailerBytes = 20;
constexpr size_t kFieldHeadBytes = 2;  // tag, length
constexpr size_t kSecondPayloadFieldBytes = 6;

// The contents of an extension's fields. Empty ones are not written.
struct Extension {
  std::string_view ranges = {};      // a RangeField
  Payload second = {};               // if it has blocks; the seed is that of the filter
  std::string_view key_limits = {};  // those of the RangeField

  static constexpr size_t FieldBytes(size_t content) {
    return content == 0 ? 0 : kFieldHeadBytes + content;
  }
};

// The bytes of trailer and extension that keys pay for: without their limits.
constexpr size_t EndBytes(const Extension& extension) {
  return kTrailerBytes +
         Extension::FieldBytes(extension.second.num_blocks == 0 ? 0 : kSecondPayloadFieldBytes) +
         Extension::FieldBytes(extension.ranges.size());
}
// All bytes behind the payload.
constexpr uint64_t TailBytes(const Extension& extension) {
  return extension.second.payload_bytes() + EndBytes(extension) +
         Extension::FieldBytes(extension.key_limits.size());
}

// Writes the TailBytes(extension) bytes that follow a payload of this shape. The shape is not
// kClassic or kSmallSet, which only LevelDB has.
void EncodeTrailer(const FilterShape& shape, uint64_t seed, char* dst,
                   const Extension& extension = {});

// Total: any bytes give a payload. If it matches every key, *why, if not null, is set to the
// reason. *fields, if not null, gets the contents of the extension, if that is understood.
Payload DecodeTrailer(std::string_view filter, std::string* why = nullptr,
                      Extension* fields = nullptr);

// Whether a filter matches every key because its writer said so.
bool SaysAlwaysMatch(std::string_view filter);

// Whether the last bytes carry our magic number; RocksDB's own filters do not.
bool HasTrailer(std::string_view filter);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_CONTAINER_TRAILER_H_
