// What RocksDB's code asked of bloomline's policy so far in this process.
#ifndef BLOOMLINE_TESTS_CONFORMANCE_ROCKSDB_SUITES_COUNTS_H_
#define BLOOMLINE_TESTS_CONFORMANCE_ROCKSDB_SUITES_COUNTS_H_

#include <atomic>

namespace bloomline {

struct ConformanceCounts {
  std::atomic<int> builders{0};
  std::atomic<int> filters{0};
  std::atomic<int> readers{0};
};
ConformanceCounts& Counts();

}  // namespace bloomline

#endif  // BLOOMLINE_TESTS_CONFORMANCE_ROCKSDB_SUITES_COUNTS_H_
