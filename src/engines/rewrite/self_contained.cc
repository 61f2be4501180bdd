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

// RocksDB takes a relative path from the working directory.
bool IsFolderBelow(const char* option, const std::string& value, const fs::path& folder,
                   std::string* error) {
  if (value.empty()) return true;
  std::error_code code;
  const fs::path path = fs::weakly_canonical(fs::absolute(value, code), code);
  if (!code && IsBelow(path, folder)) return true;
  const std::string cure =
      std::string(". For a copy, remove ") + option +
      " from its OPTIONS file once its logs are in it; for a database in more than one folder, "
      "call RewriteFilters in the application";
  return RefusePath(std::string(option) + " in the OPTIONS file", code ? fs::path(value) : path,
                    folder, cure, error);
}

bool ListFiles(const fs::path& folder, std::vector<fs::path>* files, std::string* error) {
  std::error_code code;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, skip, code), end; !code && entry != end;
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
    if (code) target = fs::read_symlink(file, code);  // it leads to nothing
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
bool OwnsFilesThatChange(const std::vector<fs::path>& files, std::string* error) {
  const auto number = [](const fs::path& log) {
    const std::string name = log.filename().string();
    return std::make_pair(name.size(), name);
  };
  fs::path newest_log;
  for (const fs::path& file : files) {
    if (IsLog(file) && number(newest_log) < number(file)) newest_log = file;
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

// The logs of a checkpoint are in the folder itself, wherever those of its original are.
bool SeesAllLogs(const std::string& wal_dir, const std::vector<fs::path>& files,
                 const fs::path& folder, std::string* error) {
  std::error_code code;
  if (wal_dir.empty() || fs::equivalent(wal_dir, folder, code)) return true;
  const auto is_unseen = [&](const fs::path& file) {
    return IsLog(file) && file.parent_path() == folder;
  };
  if (std::none_of(files.begin(), files.end(), is_unseen)) return true;
  *error = "'" + folder.string() + "' has logs, and the OPTIONS file has the wal_dir '" + wal_dir +
           "', where RocksDB looks for them; allowed: logs in one of the two folders";
  return false;
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
  return IsFolderBelow("wal_dir", options.wal_dir, canonical, error) &&
         IsFolderBelow("db_log_dir", options.db_log_dir, canonical, error) &&
         ListFiles(canonical, &files, error) && HasNoLinksOut(files, canonical, error) &&
         OwnsFilesThatChange(files, error) && SeesAllLogs(options.wal_dir, files, canonical, error);
}

}  // namespace bloomline::rewrite
