// What RocksDB policies count, by column family and level. RocksDB names these when it makes a
// builder, and not when it opens a filter; so filters that this process built are recognised by
// their bytes.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_

#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline::engine {

// Returns the counts of a policy for filters whose column family and level are not known. Flushed
// files have filters of flush_format. bits_per_key is the number of its files, 0 if they get no
// filters.
filter::FilterCounts* CountsForPolicy(const RocksDBFilterOptions& options, Format flush_format,
                                      double bits_per_key);

// Returns the counts for a file whose filter has this format and bits per key; 0: none. `of_policy`
// are the policy's.
filter::FilterCounts* CountsForFile(const filter::FilterCounts& of_policy,
                                    std::string_view column_family, int level, Format format,
                                    double bits_per_key);

// Remembers that `filter` belongs to `counts`. The process remembers 16,384 filters; further ones
// replace others, whose queries then have no level. Thread-safe and lock-free.
void RememberOrigin(std::string_view filter, const filter::FilterCounts& counts);

// Returns the counts of a filter that this process has built; otherwise `unknown`.
filter::FilterCounts* FindOrigin(std::string_view filter, filter::FilterCounts* unknown);

// Whether a filter of bloomline's or RocksDB's says that it matches everything.
bool MatchesEverything(std::string_view filter);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_
