// The input of the subcommands of `bloomline db`: the databases and tables of the command line.
#ifndef BLOOMLINE_DB_SURVEY_INPUTS_H_
#define BLOOMLINE_DB_SURVEY_INPUTS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/db/tables/table.h"
#include "src/db/tree/database.h"

namespace bloomline::db {

struct CommonOptions {
  std::vector<std::string> paths;
  int threads = 0;  // 0: one for each core
  bool json = false;
  std::optional<bool> progress;  // absent: if stderr is a terminal
  std::vector<std::string> table_folders;
  uint64_t table_memory = 0;  // as in tables::OpenOptions
};

// Adds PATH..., --threads, --json, --tables, --table-memory and --progress.
void AddCommonOptions(CLI::App* command, CommonOptions* options);
void AddMemoryAndProgressOptions(CLI::App* command, CommonOptions* options);
bool ShowsProgress(const CommonOptions& options);

enum class FileState {
  kDone,
  kVanished,  // its owner has replaced it meanwhile, by files that are read in its place
  kFailed,    // damaged, or cannot be read
};

// A table of one of the databases.
struct SurveyedFile : tree::TableFile {
  size_t database = 0;
  FileState state = FileState::kDone;
  bool is_gone = false;    // since this round
  std::string error = {};  // of kFailed; it names the file
};

// Everything that was named on the command line.
struct Inputs {
  std::vector<tree::Database> databases;  // without their files
  std::vector<SurveyedFile> files;
  std::vector<std::string> errors;  // arguments that name nothing that can be read
  uint64_t table_memory = 0;        // as in CommonOptions

  // `part`: a SurveyedFile or FamilyGroups.
  template <typename Part>
  const tree::ColumnFamily& column_family(const Part& part) const {
    return databases[part.database].column_families[static_cast<size_t>(part.column_family)];
  }
};

// What happens to databases of Pebble in RocksDB's format. Others of Pebble's are errors.
enum class PebbleUse { kRead, kRefuse };
Inputs OpenInputs(const CommonOptions& options, PebbleUse pebble = PebbleUse::kRead);

// Opens each file that is kDone and calls work(i, table, &error) for Inputs::files[i], on several
// threads. `work` returns false with *error if the file is damaged; the others continue. The
// progress is shown with `name`, that of the pass. Files before number `first` are left out.
using FileWork = std::function<bool(size_t, const tables::Table&, std::string*)>;
void ForEachFile(Inputs* inputs, const CommonOptions& options, const std::string& name,
                 const FileWork& work, size_t first = 0);

// If files are gone that their database no longer names, they become kVanished, and the files that
// replaced them are appended. Returns whether there are any. With `drop`, files that the database
// has removed become kVanished although they were read: their keys are in the new ones.
bool AddNewFiles(Inputs* inputs, bool drop);

// ForEachFile, then again for new files, some times. Returns what work(i, table, &result, &error)
// sets for each of Inputs::files.
template <typename Result, typename Work>
std::vector<Result> ResultsOfFiles(Inputs* inputs, const CommonOptions& options,
                                   const std::string& name, bool drop, const Work& work) {
  constexpr int kMaxRounds = 5;
  std::vector<Result> results;
  int rounds = 0;
  do {
    const size_t first = results.size();
    results.resize(inputs->files.size());
    const auto set_result = [&](size_t i, const tables::Table& table, std::string* error) {
      return work(i, table, &results[i], error);
    };
    ForEachFile(inputs, options, name, set_result, first);
  } while (++rounds < kMaxRounds && AddNewFiles(inputs, drop));
  for (SurveyedFile& file : inputs->files) file.is_gone = false;  // those that are left have failed
  return results;
}

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_INPUTS_H_
