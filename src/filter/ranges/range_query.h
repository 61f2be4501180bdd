// A query of a range filter: docs/format.md, section 12.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_QUERY_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/kernel/kernel.h"
#include "src/filter/ranges/key_interval.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// The most cells that a query looks up (docs/ranges.md has the time).
constexpr uint64_t kMaxAskedEntries = 64;

// A filter, opened for ranges. It refers to the bytes of the filter.
struct OpenRanges {
  bool is_understood = false;  // if not, every range may match
  RangeField field;
  KeyLimits limits;
  OpenFilter entries;
  uint64_t seed = 0;
};

// Returns false only if no key of the filter lies in [begin, end), in the order of bytes.
//
// Cost: a hash and a query of the filter for each entry.
bool RangeMayMatch(const OpenRanges& ranges, std::string_view begin, std::string_view end);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_QUERY_H_
