// The options of range filters as text, checked.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_

#include <array>
#include <string>

#include "bloomline/rocksdb_range_filter.h"
#include "src/filter/ranges/range_entries.h"

namespace bloomline::engine {

// Options of earlier releases, which OPTIONS files may have. They have no effect any more.
inline constexpr std::array<const char*, 1> kFormerRangeOptions = {{"level_size_ratio"}};

// Sets what does not depend on the table. Returns what is wrong with the options, or an empty
// string.
std::string ReadRangeFilterOptions(const RangeFilterOptions& options,
                                   filter::RangeEntryOptions* entries);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_OPTIONS_H_
