// What the machine's memory allows: random lines loaded, or read, changed and written, with nothing
// around it.
#ifndef BLOOMLINE_DB_BENCH_EXT_SCALING_RAW_H_
#define BLOOMLINE_DB_BENCH_EXT_SCALING_RAW_H_

#include <cstddef>
#include <cstdint>

#include "db_bench_ext/output/progress.h"

namespace bloomline::bench {

// Lines are requested so many accesses ahead: more gains nothing (docs/benchmarking.md).
constexpr size_t kRawRequestAhead = 48;
constexpr uint64_t kRawAccesses = uint64_t{1} << 22;

struct RawLimits {
  double load_ns = 0;
  double modify_ns = 0;
};

// In memory of so many bytes, mapped as a filter's, all of it touched before; numbers of lines come
// from an array in the first-level cache. Medians over batches; ns per access of all threads
// together. Throws bad_alloc.
RawLimits MeasureRaw(uint64_t bytes, size_t num_threads, Progress* progress);

// How often it adds kRawAccesses to the progress.
constexpr uint64_t kRawProgress = 2 * kRawAccesses;

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_RAW_H_
