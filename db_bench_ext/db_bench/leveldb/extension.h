// What LevelDB's own db_bench lacks: a choice of filter policies, and counts of what the filter
// answered. CMakeLists.txt replaces an expression in a copy of upstream's db_bench.cc by a call of
// this function and renames its main; all else is upstream's.
#ifndef BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_EXTENSION_H_
#define BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_EXTENSION_H_

#include "leveldb/filter_policy.h"

namespace bloomline::bench {

// In place of leveldb::NewBloomFilterPolicy: the policy of --policy. Throws std::runtime_error if
// it cannot be made: null would mean "no filter".
const leveldb::FilterPolicy* NewPolicy(int bits_per_key);

}  // namespace bloomline::bench

// Upstream's main.
int StockMain(int argc, char** argv);

#endif  // BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_EXTENSION_H_
