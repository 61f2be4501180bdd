// The counts of a RocksDB policy.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_

#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_choice.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// Returns the counts of a policy for filters whose column family and level are not known.
filter::FilterCounts* CountsForPolicy(const RocksDBFilterOptions& options);

// Returns the counts for a file with the filter `choice`. `of_policy` are the policy's.
filter::FilterCounts* CountsForFile(const filter::FilterCounts& of_policy,
                                    std::string_view column_family, int level,
                                    const FilterChoice& choice);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_
