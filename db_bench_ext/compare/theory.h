// The theoretical false-positive rate of each policy, from bloomline/sizing.h. NaN where there is
// none.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_THEORY_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_THEORY_H_

#include "db_bench_ext/compare/engine.h"

namespace bloomline::bench {

// Exact for a filter of the average size that was written. LevelDB rounds filters of about 36 keys
// up to whole bytes, so the bits written determine the rate, not the bits requested.
double LevelDBTheory(Policy policy, int bits_per_key, const FilterSummary& filters,
                     uint64_t num_keys);

// For the bits requested. RocksDB's Ribbon filter aims at the rate of its Bloom filter.
double RocksDBTheory(Policy policy, int bits_per_key, const FilterSummary& filters,
                     uint64_t num_keys);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_THEORY_H_
