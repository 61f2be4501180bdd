// A peer: RocksDB's SstQueryFilterConfigs, which keep the least and the greatest value of each part
// of a file's keys. RocksDB has them from 9.10 on, as an experiment.
#ifndef BLOOMLINE_DB_BENCH_EXT_RANGES_QUERY_FILTERS_H_
#define BLOOMLINE_DB_BENCH_EXT_RANGES_QUERY_FILTERS_H_

#include <rocksdb/options.h>

#include <cstddef>
#include <memory>

#include "db_bench_ext/ranges/shapes.h"

namespace bloomline::bench::ranges {

class QueryFilters {
 public:
  // Whether this RocksDB has them.
  static bool Exist();

  // Keys have two parts: the first prefix_bytes, and the rest.
  explicit QueryFilters(size_t prefix_bytes);
  ~QueryFilters();

  void AddTo(rocksdb::Options* options) const;
  // For one iterator at a time. The range must live as long as the iterator.
  void AddTo(const Range& range, rocksdb::ReadOptions* options) const;

 private:
  struct Factory;
  std::unique_ptr<Factory> factory_;
};

}  // namespace bloomline::bench::ranges

#endif  // BLOOMLINE_DB_BENCH_EXT_RANGES_QUERY_FILTERS_H_
