// A query of a filter for a range of keys: docs/format.md, section 12.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_QUERY_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/layouts/hash_query.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// The most cells that a query looks up (docs/ranges.md has the time).
constexpr int kMaxAskedEntries = 64;

// False: no key of the filter lies in [begin, end). In a partition, that also holds for the keys
// that follow it in the table. The order is that of bytes.
//
// Cost: a hash and a query of the filter for each entry that is asked for.
bool RangeMayMatch(const OpenFilter& filter, uint64_t seed, const RangeField& field,
                   std::string_view begin, std::string_view end);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_QUERY_H_
