// RocksDB's LOG and LOG.old.NUMBER: the parts that are used here. LOG may have gigabytes; only its
// beginning or its end is read.
#ifndef BLOOMLINE_INSPECT_DATABASE_INFO_LOG_H_
#define BLOOMLINE_INSPECT_DATABASE_INFO_LOG_H_

#include <string>
#include <vector>

namespace bloomline::database {

// DBOptions::db_paths, as LOG lists them when the database is opened.
std::vector<std::string> TableFoldersInLog(const std::string& database_path);

}  // namespace bloomline::database

#endif  // BLOOMLINE_INSPECT_DATABASE_INFO_LOG_H_
