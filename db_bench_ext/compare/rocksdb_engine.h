// RocksDB as an Engine.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_ROCKSDB_ENGINE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_ROCKSDB_ENGINE_H_

#include "db_bench_ext/compare/engine.h"

namespace bloomline::bench {

Engine RocksDBEngine();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_ROCKSDB_ENGINE_H_
