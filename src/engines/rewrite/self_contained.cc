#include "src/engines/rewrite/self_contained.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace bloomline::rewrite {
namespace {

namespace fs = std::filesystem;

bool IsBelow(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

bool RefusePath(const std::string& what, const fs::path& outside, const fs::path& folder,
                const std::string& cure, std::string* error) {
  *error = what + " leads to '" + outside.string() + "', outside of '" + folder.string() +
           "'; allowed: the folder itself and what is below it" + cure;
  return false;
}

bool IsFolderBelow(const std::string& option, const std::string& value, const fs::path& folder,
                   std::string* error) {
  if (value.empty()) return true;
  const std::string what = option + " in the OPTIONS file";
  const std::string cure =
      ". For a copy, remove " + option +
      " from its OPTIONS file once its logs are in it; for a database in more than one folder, "
      "call RewriteFilters in the application";
  if (fs::path(value).is_relative()) {
    *error = what + " is '" + value +
             "', relative to the working directory of its application, which this program does "
             "not know; allowed: absolute paths in '" +
             folder.string() + "'" + cure;
    return false;
  }
  std::error_code code;
  const fs::path path = fs::weakly_canonical(value, code);
  if (!code && IsBelow(path, folder)) return true;
  return RefusePath(what, code ? fs::path(value) : path, folder, cure, error);
}

bool ListFiles(const fs::path& folder, std::vector<fs::path>* files, std::string* error) {
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    files->push_back(entry->path());
  }
  if (code) *error = "reading '" + folder.string() + "': " + code.message();
  return !code;
}

bool HasNoLinksOut(const std::vector<fs::path>& files, const fs::path& folder, std::string* error) {
  for (const fs::path& file : files) {
    std::error_code code;
    if (!fs::is_symlink(file, code)) continue;
    fs::path target = fs::canonical(file, code);
    if (!code && IsBelow(target, folder)) continue;
    if (code) target = fs::read_symlink(file, code);  // the link leads to nothing
    return RefusePath("the link '" + file.string() + "'", target, folder, "", error);
  }
  return true;
}

bool IsLog(const fs::path& file) {  // 000012.log
  const std::string name = file.filename().string();
  return file.extension() == ".log" && name.find_first_not_of("0123456789") == name.size() - 4;
}

// RocksDB deletes files, which leaves their other hard links alone, but truncates the newest log,
// and some versions append to the MANIFEST. A checkpoint has copies of both.
bool OwnsFilesThatChange(const std::vector<fs::path>& files, const fs::path& logs,
                         std::string* error) {
  const auto number = [](const fs::path& log) {
    const std::string name = log.filename().string();
    return std::make_pair(name.size(), name);
  };
  fs::path newest_log;
  for (const fs::path& file : files) {
    const bool is_live = IsLog(file) && file.parent_path() == logs;
    if (is_live && number(newest_log) < number(file)) newest_log = file;
  }
  for (const fs::path& file : files) {
    std::error_code code;
    const bool changes = file == newest_log || file.filename().string().rfind("MANIFEST-", 0) == 0;
    if (!changes || fs::hard_link_count(file, code) < 2 || code) continue;
    *error = "'" + file.string() +
             "' has hard links, so RocksDB would change a file of another "
             "folder, too; allowed: a copy";
    return false;
  }
  return true;
}

// A checkpoint has its logs in the folder itself, wherever the original has them. Also, the
// application may set another log folder than the OPTIONS file names.
bool SeesAllLogs(const std::vector<fs::path>& files, const fs::path& logs, std::string* error) {
  for (const fs::path& file : files) {
    const fs::path folder = file.parent_path();
    if (!IsLog(file) || folder == logs || folder == logs / "archive") continue;
    *error = "'" + file.string() + "' is a log, and RocksDB looks for logs in '" + logs.string() +
             "', as the OPTIONS file says; allowed: logs in that folder alone";
    return false;
  }
  return true;
}

}  // namespace

bool IsSelfContained(const std::string& folder, const ROCKSDB_NAMESPACE::DBOptions& options,
                     std::string* error) {
  std::error_code code;
  const fs::path canonical = fs::canonical(folder, code);
  if (code) {
    *error = "'" + folder + "': " + code.message();
    return false;
  }
  std::vector<fs::path> files;
  if (!IsFolderBelow("wal_dir", options.wal_dir, canonical, error) ||
      !IsFolderBelow("db_log_dir", options.db_log_dir, canonical, error) ||
      !ListFiles(canonical, &files, error) || !HasNoLinksOut(files, canonical, error)) {
    return false;
  }
  const fs::path logs =
      options.wal_dir.empty() ? canonical : fs::weakly_canonical(options.wal_dir, code);
  return SeesAllLogs(files, logs, error) && OwnsFilesThatChange(files, logs, error);
}

}  // namespace bloomline::rewrite
