// The false-positive rate each policy promises, from bloomline/sizing.h.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_THEORY_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_THEORY_H_

#include "db_bench_ext/compare/engine.h"

namespace bloomline::bench {

// Exact rate of a Bloom filter of the average size that was written: LevelDB rounds filters of some
// 36 keys up to bytes, so the bits paid, not the bits asked for, set the rate.
double LevelDBTheory(Policy policy, int bits_per_key, const FilterSummary& filters,
                     uint64_t num_keys);

// Blocked Bloom at the bits asked for. RocksDB's Ribbon promises the rate of its Bloom.
double RocksDBTheory(Policy policy, int bits_per_key, const FilterSummary& filters,
                     uint64_t num_keys);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_THEORY_H_
