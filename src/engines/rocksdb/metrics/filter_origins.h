// The column family and level of each filter. RocksDB names them when it makes a builder, and not
// when it opens a filter; so filters that this process built are recognised by their bytes.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_METRICS_FILTER_ORIGINS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_METRICS_FILTER_ORIGINS_H_

#include <string_view>

#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// Remembers that `filter` belongs to `counts`. The process remembers 16,384 filters; further ones
// replace others, whose queries then have no level. Thread-safe and lock-free.
void RememberOrigin(std::string_view filter, const filter::FilterCounts& counts);

// Returns the counts of a filter that this process has built; otherwise `unknown`.
filter::FilterCounts* FindOrigin(std::string_view filter, filter::FilterCounts* unknown);

// Counts a filter that RocksDB's own reader is to open.
void CountOtherFilter(std::string_view filter, filter::FilterCounts* counts);

// Whether a filter of bloomline's or RocksDB's says that it matches everything.
bool MatchesEverything(std::string_view filter);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_METRICS_FILTER_ORIGINS_H_
