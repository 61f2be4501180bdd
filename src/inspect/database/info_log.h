// RocksDB's LOG and LOG.old.NUMBER: the parts that are used here. LOG may have gigabytes; only its
// beginning or its end is read.
#ifndef BLOOMLINE_INSPECT_DATABASE_INFO_LOG_H_
#define BLOOMLINE_INSPECT_DATABASE_INFO_LOG_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/inspect/database/database.h"

namespace bloomline::database {

// DBOptions::db_paths, as LOG lists them when the database is opened.
std::vector<std::string> TableFoldersInLog(const std::string& database_path);

// ---- Statistics::ToString(), as RocksDB 7 to 11 print it.

// RocksDB cuts a message of LOG at this size. A dump has about 25 KB.
constexpr size_t kMaxDumpBytes = 65536;

// The lines of statistics at the beginning of `text`, up to another line. False: the end of `text`
// cuts them off.
bool WholeDump(std::string_view text, std::string* dump);

// Skips what is no ticker.
void ParseDump(std::string_view dump, Tickers* tickers);

}  // namespace bloomline::database

#endif  // BLOOMLINE_INSPECT_DATABASE_INFO_LOG_H_
