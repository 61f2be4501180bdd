// Writes all files of the new folder, as planned.
#ifndef BLOOMLINE_DB_REWRITE_FOLDER_WRITER_H_
#define BLOOMLINE_DB_REWRITE_FOLDER_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/db/rewrite/database_folder.h"
#include "src/db/rewrite/partial_folder.h"
#include "src/db/rewrite/rewrite_plan.h"

namespace bloomline::db {

// How the files of the old folder come into the new one, besides those that are written anew.
struct FolderFiles {
  std::vector<std::string> linked;  // tables that stay, blob files, archived logs: never changed
  std::vector<std::string> copied;  // engines append to these, or truncate them
  std::vector<std::string> folders;
  uint64_t num_left_out = 0;  // logs of the program, and what the MANIFEST does not name
  uint64_t linked_bytes = 0;
  uint64_t copied_bytes = 0;
};

FolderFiles SortFiles(const DatabaseFolder& folder, const Inputs& inputs, const RewritePlan& plan);

Outcome WriteFolder(const FolderFiles& files, const OptionsFiles& options, const Inputs& inputs,
                    const RewritePlan& plan, bool shows_progress, PartialFolder* partial,
                    std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_FOLDER_WRITER_H_
