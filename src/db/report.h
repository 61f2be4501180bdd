// Output that the subcommands of `bloomline db` share: files, levels, and problems.
#ifndef BLOOMLINE_DB_REPORT_H_
#define BLOOMLINE_DB_REPORT_H_

#include <cstdint>
#include <string>

#include "src/cli/shared/json.h"
#include "src/db/directory/database.h"
#include "src/db/inputs.h"
#include "src/db/sstable/table.h"

namespace bloomline::db {

// Writes problems to stderr, each line beginning with "bloomline db NAME: ", and returns the exit
// code: kExitFailure if an argument or a file could not be read.
int ReportProblems(const Inputs& inputs, const std::string& name);

// Adds {"errors": [...], "vanished": [...]} to a command's document.
void AddProblems(const Inputs& inputs, cli::Json* json);

// "4", or "-" if it is unknown.
std::string LevelText(int level);
cli::Json LevelJson(int level);
const char* EngineName(sstable::Engine engine);

// Without its folder, if all files are those of one database.
std::string FileText(const Inputs& inputs, const FileRef& ref);

// "1 file", "12 files"
std::string FilesText(uint64_t files);

// "/path, column family 'x'"; the column family only if there are several.
std::string DatabaseTitle(const directory::Database& database, int column_family);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REPORT_H_
