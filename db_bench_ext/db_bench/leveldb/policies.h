// The counts of a policy that counts (--count=1).
#ifndef BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_POLICIES_H_
#define BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_POLICIES_H_

#include <cstdint>

namespace bloomline::bench {

struct FilterCounts {
  uint64_t queries = 0;
  uint64_t rejected = 0;
};

// Of all policies of this process.
FilterCounts CountsSoFar();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_POLICIES_H_
