// What the files of a database hold, after the bench has closed it.
#ifndef BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_FILES_H_
#define BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_FILES_H_

#include <string>

namespace bloomline::bench {

// Prints one line: keys, levels that have files, bytes of the filters. Throws std::runtime_error.
void PrintFiles(const std::string& directory);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_FILES_H_
