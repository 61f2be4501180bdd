// Runs queries in a database: checks every answer, takes the time of each, counts block reads.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_RUN_QUERIES_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_RUN_QUERIES_H_

#include <cstdint>
#include <vector>

#include "db_bench_ext/disk/database.h"
#include "db_bench_ext/disk/keys.h"

namespace bloomline::bench {

struct Counts {
  uint64_t gets = 0;  // keys; a MultiGet counts as kMultiGetKeys
  uint64_t wrong_answers = 0;
  uint64_t data_reads = 0;  // blocks from the disk
  uint64_t index_reads = 0;
  uint64_t filter_reads = 0;
  uint64_t bytes_read = 0;
  uint64_t cache_hits = 0;        // blocks of all kinds
  uint64_t data_blocks = 0;       // from the disk or the cache
  uint64_t filter_positives = 0;  // files for which a filter said "may match"

  void Add(const Counts& other);
  double PerGet(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(gets);
  }
  double CacheHitRate() const {
    const double all = static_cast<double>(cache_hits + data_reads + index_reads + filter_reads);
    return static_cast<double>(cache_hits) / all;
  }
};

struct RunResult {
  Counts counts;
  double seconds = 0;
  std::vector<float> us;  // of each Get or MultiGet
};

struct RunLimits {
  double seconds;
  uint64_t bytes_read = UINT64_MAX;
};

// Stops at a limit or at the end of the queries, of which each thread takes an equal part. Throws
// std::runtime_error if RocksDB reports an error.
RunResult RunQueries(const DiskDatabase& database, const Workload& workload,
                     const std::vector<Query>& queries, int num_threads, const RunLimits& limits);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_RUN_QUERIES_H_
