// Reads the size of the filters from a LevelDB table file (LevelDB's doc/table_format.md), because
// LevelDB does not report it.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_TABLE_FILE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_TABLE_FILE_H_

#include <string>

#include "db_bench_ext/compare/engine.h"

namespace bloomline::bench {

// All zero if the file has no filter block. Throws std::runtime_error if the file cannot be read,
// is not a LevelDB table, or has a compressed metaindex or filter block.
FilterSummary ReadLevelDBFilters(const std::string& path);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_LEVELDB_TABLE_FILE_H_
