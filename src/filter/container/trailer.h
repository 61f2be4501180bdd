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
//              second payload, tag 3 the blocks of a Ribbon filter's rows, tag 1 is reserved, and
//              readers skip tags from 128 on. Versions up to 0.2.0 wrote tags 2, 128 and 129, for
//              ranges. Now there is no second payload.
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

// The reason that DecodeTrailer gives for kFormerCompact.
extern const char kFormerCompactText[];

// The number of bytes after a payload of this shape: kTrailerBytes, and the extension if it has
// one.
size_t EndBytes(const FilterShape& shape);

// Writes end_bytes bytes after a payload of this shape, EndBytes(shape) or up to 257 more, which
// readers skip. The shape is not kClassic or kSmallSet, which only LevelDB has.
void EncodeEnd(const FilterShape& shape, uint64_t seed, size_t end_bytes, char* dst);

// Never fails: any bytes give a payload. If it matches every key, *why, if not null, is set to the
// reason: kUnknown, kFormerCompact, or kAlwaysMatch if its writer said so.
Payload DecodeTrailer(std::string_view filter, std::string* why = nullptr);

// Whether the last bytes contain our magic number; RocksDB's own filters do not.
bool HasTrailer(std::string_view filter);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_CONTAINER_TRAILER_H_
