// What LevelDB's own db_bench lacks: a choice of filter policies, keys of other shapes, missing
// keys as long as the stored ones, and counts of what the filter answered. CMakeLists.txt replaces
// five expressions in a copy of upstream's db_bench.cc by calls of these functions and renames its
// main; all else is upstream's.
#ifndef BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_EXTENSION_H_
#define BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_EXTENSION_H_

#include <cstddef>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"

namespace bloomline::bench {

// In place of leveldb::NewBloomFilterPolicy: the policy of --policy. Throws std::runtime_error if
// it cannot be made: null would mean "no filter".
const leveldb::FilterPolicy* NewPolicy(int bits_per_key);

// In place of snprintf(key, size, "%016d", number): writes the key of that number.
void WriteKey(char* key, size_t size, const char* format, int number);

// In place of 16.
int KeyBytes();

// In place of the stored key without its last byte. Valid until the next call in this thread.
leveldb::Slice MissingKey(const leveldb::Slice& stored);

}  // namespace bloomline::bench

// Upstream's main.
int StockMain(int argc, char** argv);

#endif  // BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_EXTENSION_H_
