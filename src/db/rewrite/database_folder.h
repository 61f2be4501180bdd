// The files of a database's folder, as `bloomline db rewrite` finds them, and the new folder's
// name.
#ifndef BLOOMLINE_DB_REWRITE_DATABASE_FOLDER_H_
#define BLOOMLINE_DB_REWRITE_DATABASE_FOLDER_H_

#include <map>
#include <string>

#include "src/db/tree/database.h"
#include "src/support/file_io.h"

namespace bloomline::db {

struct DatabaseFolder {
  std::string path;                                  // absolute, without links
  std::map<std::string, support::FileStatus> files;  // by name; "archive/000007.log"
};

// Returns false with *error if the folder has links, or folders that no database needs: both
// databases would then write to the same files.
bool ListDatabase(const std::string& path, DatabaseFolder* folder, std::string* error);

// Checks that the old folder and the new one can be told apart, before anything is read. *target
// is set to the new folder's absolute path. Returns false with *error if the new folder or
// "TARGET.partial" exists, or one of both folders would lie in the other.
bool CheckTarget(const std::string& database, const std::string& new_folder, std::string* target,
                 std::string* error);

struct OptionsFiles {
  std::map<std::string, std::string> texts;  // by name, as in the new folder
  tree::RocksDBVersion newest_version;       // that they name
};

// Reads the folder's OPTIONS files. A path in them names a folder that the database has outside of
// its own. A program that opens the new folder with these options would use the old one's logs, and
// delete them. So this returns false with *error for each such path but the folder itself, whose
// meaning does not change if the option is empty: the texts are changed to that.
bool ReadOptions(const DatabaseFolder& folder, OptionsFiles* options, std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_DATABASE_FOLDER_H_
