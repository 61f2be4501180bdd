// What all subcommands of `bloomline db` have in common: the inputs, the files in them, and how the
// work on them is divided and reported.
#ifndef BLOOMLINE_DB_COMMON_H_
#define BLOOMLINE_DB_COMMON_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/shared/json.h"
#include "src/cli/shared/progress.h"
#include "src/db/directory/database.h"
#include "src/db/sstable/table.h"

namespace bloomline::db {

struct CommonOptions {
  std::vector<std::string> paths;
  int threads = 0;  // 0: one for each core
  bool json = false;
  std::optional<bool> progress;  // absent: if stderr is a terminal
  std::vector<std::string> table_folders;
};

// Adds PATH..., --threads, --json, --progress and --tables.
void AddCommonOptions(CLI::App* command, CommonOptions* options);

enum class FileState {
  kDone,
  kVanished,  // its owner has removed it meanwhile
  kFailed,    // damaged, or cannot be read
};

// A table of one of the databases.
struct FileRef {
  size_t database = 0;
  size_t index = 0;  // in Database::files
  FileState state = FileState::kDone;
  std::string error;  // of kFailed; it names the file
};

// Everything that was named on the command line.
struct Inputs {
  std::vector<database::Database> databases;
  std::vector<FileRef> files;
  std::vector<std::string> errors;  // arguments that name nothing that can be read

  const database::TableFile& file(const FileRef& ref) const {
    return databases[ref.database].files[ref.index];
  }
  const database::ColumnFamily& column_family(size_t database, int index) const {
    return databases[database].column_families[static_cast<size_t>(index)];
  }
  const database::ColumnFamily& column_family(const FileRef& ref) const {
    return column_family(ref.database, file(ref).column_family);
  }
};

Inputs OpenInputs(const CommonOptions& options);

// Opens each file that is kDone and calls work(i, table, &progress, &error) for Inputs::files[i],
// on several threads. It returns false with *error if the file is damaged; the others go on.
using FileWork =
    std::function<bool(size_t, const sstable::Table&, cli::FileProgress*, std::string*)>;
// Files before number `first` are left out.
void ForEachFile(Inputs* inputs, const CommonOptions& options, const std::string& name,
                 const FileWork& work, size_t first = 0);

// If files have vanished, their database has new ones in their place: appends those. True if there
// are any. Files that the database no longer has become kVanished if `drop`, although they were
// read: their keys are in the new ones.
bool AddNewFiles(Inputs* inputs, bool drop);
constexpr int kMostRounds = 3;  // of AddNewFiles; an owner may be faster than this tool

// Writes what went wrong to stderr, each line beginning with "bloomline db NAME: ", and returns the
// exit code: kExitFailure if an argument or a file could not be read.
int ReportProblems(const Inputs& inputs, const std::string& name);

// {"errors": [...], "vanished": [...]}, added to a command's document.
void AddProblems(const Inputs& inputs, cli::Json* json);

// "4", or "-" if it is unknown.
std::string LevelText(int level);
cli::Json LevelJson(int level);
const char* EngineName(sstable::Engine engine);

// Without its folder, if all files are those of one database.
std::string FileText(const Inputs& inputs, const FileRef& ref);

// "1 file", "12 files"
std::string FilesText(uint64_t files);

// "/path, column family 'x'"; the column family only where there is more than one.
std::string DatabaseTitle(const database::Database& database, int column_family);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_COMMON_H_
