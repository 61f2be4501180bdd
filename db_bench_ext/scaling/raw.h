// The limit that the machine's memory sets: random cache lines loaded, or read, changed and
// written, and nothing else.
#ifndef BLOOMLINE_DB_BENCH_EXT_SCALING_RAW_H_
#define BLOOMLINE_DB_BENCH_EXT_SCALING_RAW_H_

#include <cstddef>
#include <cstdint>

#include "db_bench_ext/output/progress.h"

namespace bloomline::bench {

// Lines are prefetched this many accesses ahead; more gains nothing (docs/benchmarking.md).
constexpr size_t kRawPrefetchAhead = 48;
constexpr uint64_t kRawAccesses = uint64_t{1} << 22;

struct RawLimits {
  double load_ns = 0;
  double modify_ns = 0;
};

// In `bytes` of memory, mapped like a filter's and touched before; the line numbers come from an
// array in the first-level cache. Medians over batches, in ns per access of all threads together.
// Throws std::bad_alloc.
RawLimits MeasureRaw(uint64_t bytes, size_t num_threads, Progress* progress);

// What MeasureRaw adds to the progress.
constexpr uint64_t kRawProgress = 2 * kRawAccesses;

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_RAW_H_
