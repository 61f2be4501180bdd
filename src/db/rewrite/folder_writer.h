// Writes all files of the new folder, as planned.
#ifndef BLOOMLINE_DB_REWRITE_FOLDER_WRITER_H_
#define BLOOMLINE_DB_REWRITE_FOLDER_WRITER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/db/rewrite/database_folder.h"
#include "src/db/rewrite/partial_folder.h"
#include "src/db/rewrite/rewrite_plan.h"

namespace bloomline::db {

// How the files of the old folder come into the new one, besides the tables that are rewritten.
struct FolderFiles {
  std::vector<std::string> linked;  // tables that stay, blob files, archived logs: never changed
  std::vector<std::string> copied;  // engines append to these, or truncate them
  std::vector<std::string> options;
  std::set<std::string> left_out;  // logs of the program, and what the MANIFEST does not name
  uint64_t linked_bytes = 0;
  uint64_t copied_bytes = 0;
};

FolderFiles SortFiles(const DatabaseFolder& folder, const Inputs& inputs, const RewritePlan& plan,
                      const std::string& manifest);

// Returns an exit code with *error, or kExitOk.
int WriteFolder(const RewriteOptions& options, const DatabaseFolder& folder, const Inputs& inputs,
                const RewritePlan& plan, const FolderFiles& files, PartialFolder* partial,
                std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_FOLDER_WRITER_H_
