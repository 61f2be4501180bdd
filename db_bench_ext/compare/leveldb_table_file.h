// Reads the size of the filters in one LevelDB table file (LevelDB's doc/table_format.md): LevelDB
// itself tells nobody.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_TABLE_FILE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_TABLE_FILE_H_

#include <string>

#include "db_bench_ext/compare/engine.h"

namespace bloomline::bench {

// All zero if the file has no filter block. Needs an uncompressed metaindex block. Throws
// std::runtime_error if the file cannot be read or is no such table.
FilterSummary ReadLevelDBFilters(const std::string& path);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_TABLE_FILE_H_
