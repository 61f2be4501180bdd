// LevelDB's filters: the policies by name, and what the tables of a database hold, which LevelDB
// does not report.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_LEVELDB_FILTERS_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_LEVELDB_FILTERS_H_

#include <cstdint>
#include <string>

#include "leveldb/filter_policy.h"

namespace bloomline::bench {

// What the files hold after the full compaction.
struct FilterSummary {
  uint64_t block_bytes = 0;   // filter blocks as written in the SSTables
  uint64_t filter_bytes = 0;  // without LevelDB's array of filter offsets
  uint64_t num_filters = 0;   // LevelDB: about one per data block; RocksDB: one per file
};

// Summarizes the filters of all tables in the folder. Throws std::runtime_error if one cannot be
// read.
FilterSummary ReadLevelDBFilters(const std::string& directory);

// The names are "builtin-bloom", "blocked" and "compact". Throws std::runtime_error if there is no
// such policy.
const leveldb::FilterPolicy* NewLevelDBPolicy(const std::string& name, int bits_per_key);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_LEVELDB_FILTERS_H_
