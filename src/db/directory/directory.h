// Reads a database's folder.
#ifndef BLOOMLINE_DB_DIRECTORY_DIRECTORY_H_
#define BLOOMLINE_DB_DIRECTORY_DIRECTORY_H_

#include <string>
#include <vector>

#include "src/db/directory/database.h"

namespace bloomline::directory {

// A folder with CURRENT, or with tables. False with *error.
bool ReadDirectory(const std::string& path, const std::vector<std::string>& table_folders,
                   Database* database, std::string* error);

// The engine that wrote a table; by its name if it cannot be read.
sstable::Engine EngineOfTable(const std::string& path);

}  // namespace bloomline::directory

#endif  // BLOOMLINE_DB_DIRECTORY_DIRECTORY_H_
