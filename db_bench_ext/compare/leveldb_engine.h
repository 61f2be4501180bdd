// LevelDB as an Engine.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_ENGINE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_ENGINE_H_

#include "db_bench_ext/compare/engine.h"

namespace bloomline::bench {

Engine LevelDBEngine();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_ENGINE_H_
