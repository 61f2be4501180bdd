#include "src/db/report.h"

#include <utility>

#include "src/cli/shared/commands.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"

namespace bloomline::db {

int ReportProblems(const Inputs& inputs, const std::string& name) {
  const std::string start = "bloomline db " + name + ": ";
  for (const std::string& error : inputs.errors) cli::PrintError(start + error);
  for (const directory::Database& database : inputs.databases) {
    for (const std::string& warning : database.warnings)
      cli::PrintError(start + "warning: " + warning);
  }
  bool failed = !inputs.errors.empty();
  for (const FileRef& ref : inputs.files) {
    if (ref.state == FileState::kVanished) {
      cli::PrintError(start + inputs.file(ref).path + ": does not exist (any more); skipped");
    } else if (ref.state == FileState::kFailed) {
      failed = true;
      cli::PrintError(start + ref.error);
    }
  }
  return failed ? cli::kExitFailure : cli::kExitOk;
}

void AddProblems(const Inputs& inputs, cli::Json* json) {
  cli::Json errors = cli::Json::array();
  cli::Json vanished = cli::Json::array();
  for (const std::string& error : inputs.errors) {
    errors.push_back({{"file", nullptr}, {"error", error}});
  }
  for (const FileRef& ref : inputs.files) {
    const std::string& path = inputs.file(ref).path;
    if (ref.state == FileState::kVanished) vanished.push_back(path);
    if (ref.state == FileState::kFailed) errors.push_back({{"file", path}, {"error", ref.error}});
  }
  (*json)["errors"] = std::move(errors);
  (*json)["vanished"] = std::move(vanished);
}

std::string LevelText(int level) { return level < 0 ? "-" : std::to_string(level); }

cli::Json LevelJson(int level) { return level < 0 ? cli::Json(nullptr) : cli::Json(level); }

const char* EngineName(sstable::Engine engine) {
  return engine == sstable::Engine::kLevelDB ? "LevelDB" : "RocksDB";
}

std::string FileText(const Inputs& inputs, const FileRef& ref) {
  const std::string& path = inputs.file(ref).path;
  const bool one_database = inputs.databases.size() == 1 && !inputs.databases[0].path.empty();
  return one_database ? path.substr(path.rfind('/') + 1) : path;
}

std::string FilesText(uint64_t files) {
  return cli::CountText(files) + (files == 1 ? " file" : " files");
}

std::string DatabaseTitle(const directory::Database& database, int column_family) {
  std::string path = database.path;
  if (path.empty()) path = database.files.size() == 1 ? database.files[0].path : "files";
  if (database.column_families.size() < 2) return path;
  return path + ", column family '" +
         database.column_families[static_cast<size_t>(column_family)].name + "'";
}

}  // namespace bloomline::db
