// What the files of a RocksDB database have, by level.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_FILE_SUMS_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_FILE_SUMS_H_

#include <cstdint>
#include <vector>

#include "rocksdb/db.h"

namespace bloomline::bench {

struct FileSums {
  uint64_t num_files = 0;
  uint64_t num_keys = 0;
  uint64_t data_bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t filter_bytes = 0;
  uint64_t num_filters = 0;

  void Add(const FileSums& other);
  double FilterBitsPerKey() const {
    return 8.0 * static_cast<double>(filter_bytes) / static_cast<double>(num_keys);
  }
};

// The files of each level of the default column family, from level 0 on, and of all. Both throw
// std::runtime_error if RocksDB reports an error.
std::vector<FileSums> SumsOfLevels(rocksdb::DB* db);
FileSums SumsOfFiles(rocksdb::DB* db);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_FILE_SUMS_H_
