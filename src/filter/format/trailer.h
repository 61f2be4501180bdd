// The trailer container: filters inside RocksDB and on their own (docs/format.md, section 5).
//
//   +------------------------------+--------------------+----------------------+
//   | payload, num_blocks blocks   | extension          | trailer, 20 bytes    |
//   +------------------------------+--------------------+----------------------+
//
//   offset   0           8           12      13         14         15      16      19
//   trailer  | seed      | blocks    | layout| param    | extension| 0x00  | "bLn" | version
//            | 8 bytes   | mod 2^32  | 1     | 1        | bytes    | marker| magic | 1
//
//   extension  fields of ascending tags: | tag | length | content |. Tag 1 has the name of a key
//              canonicalizer (canonical_keys.h). Most filters have no fields.
#ifndef BLOOMLINE_FILTER_FORMAT_TRAILER_H_
#define BLOOMLINE_FILTER_FORMAT_TRAILER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/format/layout.h"

namespace bloomline::filter {

constexpr size_t kTrailerBytes = 20;
constexpr size_t kFieldHeadBytes = 2;  // tag, length

// The bytes behind a payload. `canonicalizer` is the name, here and below; empty: none.
constexpr size_t EndBytes(std::string_view canonicalizer) {
  return kTrailerBytes + (canonicalizer.empty() ? 0 : kFieldHeadBytes + canonicalizer.size());
}

// FilterOptions::Validate, and that the format has a layout in this container: kClassic has none.
// Empty, or one sentence.
std::string ValidateForTrailer(const FilterOptions& options);

// Writes the EndBytes(canonicalizer) bytes that follow a payload of this shape. kClassic and
// kSmallSet are LevelDB's alone.
void EncodeTrailer(const FilterShape& shape, uint64_t seed, char* dst,
                   std::string_view canonicalizer = {});

// Total: any bytes give a payload. If it matches every key, *why, if not null, is set to the
// reason; one is that the filter's canonicalizer is not `canonicalizer`.
Payload DecodeStandalone(std::string_view filter, std::string* why = nullptr,
                         std::string_view canonicalizer = {});

// Whether a filter matches every key because its writer said so.
bool SaysAlwaysMatch(std::string_view filter);

// Whether the last bytes carry our magic number; RocksDB's own filters do not.
bool HasTrailer(std::string_view filter);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_FORMAT_TRAILER_H_
