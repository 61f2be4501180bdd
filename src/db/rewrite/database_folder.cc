#include "src/db/rewrite/database_folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "src/db/tree/options_file.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"
#include "src/support/set_error.h"

namespace bloomline::db {
namespace {

namespace fs = std::filesystem;

using support::FileKind;
using support::Refuse;

// The folders in which engines keep what they no longer read.
bool IsKnownFolder(const std::string& name) { return name == "archive" || name == "lost"; }

bool IsBelow(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// Whether the path is the folder or in it, perhaps by the name of another mount.
bool IsInside(fs::path path, const fs::path& folder) {
  std::error_code code;
  while (!fs::equivalent(path, folder, code)) {
    if (path == path.parent_path()) return false;
    path = path.parent_path();
  }
  return true;
}

// Adds one file, or returns false with *error if it is nothing that can be copied.
bool AddFile(const fs::path& path, const std::string& name, DatabaseFolder* folder,
             std::string* error) {
  support::FileStatus& status = folder->files[name];
  if (!support::ExamineLink(path, &status)) {
    return support::SystemFailure(path, "cannot be examined", error);
  }
  std::error_code code;
  if (status.kind == FileKind::kLink) {
    fs::path target = fs::canonical(path, code);
    if (code) target = fs::read_symlink(path, code);
    return Refuse(error, "the link '", path.string(), "' leads to '", target.string(),
                  "', so not all of the database is in '", folder->path,
                  "'; allowed: files in the folder itself");
  }
  const bool is_folder = status.kind == FileKind::kFolder;
  if (status.kind == FileKind::kRegular || (is_folder && IsKnownFolder(name))) return true;
  if (is_folder && fs::is_empty(path, code) && !code) return true;
  return Refuse(error, path.string(),
                is_folder ? ": is a folder with files, which may be logs or tables of the "
                            "database; allowed: files in the database's folder itself"
                          : ": is not a regular file; allowed: files");
}

bool ListFiles(const fs::path& path, const std::string& before, DatabaseFolder* folder,
               std::string* error) {
  std::error_code code;
  fs::directory_iterator entry(path, code);
  for (const fs::directory_iterator end; !code && entry != end; entry.increment(code)) {
    const std::string name = before + entry->path().filename().string();
    if (!AddFile(entry->path(), name, folder, error)) return false;
    const bool is_listed = IsKnownFolder(name) && folder->files[name].kind == FileKind::kFolder;
    if (is_listed && !ListFiles(entry->path(), name + "/", folder, error)) return false;
  }
  return !code || Refuse(error, path.string(), ": cannot be listed: ", code.message());
}

// Without links, as far as the path exists. ".." behind a link is the parent of the folder that it
// leads to.
fs::path Resolved(const std::string& text) {
  std::error_code code;
  const fs::path whole = fs::absolute(text, code);
  fs::path path = fs::weakly_canonical(whole, code);
  if (code) path = whole.lexically_normal();
  return path.filename().empty() ? path.parent_path() : path;  // behind a slash
}

// Replaces the option's values in all lines of the text.
void EmptyOption(const std::string& option, std::string* text) {
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    const size_t name = std::min(text->find_first_not_of(" \t", begin), end);
    const size_t sign = text->find('=', name);
    size_t kept = end;
    const bool is_named = sign < end && text->compare(name, option.size(), option) == 0 &&
                          text->find_first_not_of(" \t", name + option.size()) == sign;
    if (is_named) {
      text->erase(sign + 1, end - sign - 1);
      kept = sign + 1;
    }
    begin = kept + 1;
  }
}

// Empties the paths in an OPTIONS file's text that lead to the database's own folder.
bool Detach(const std::string& folder, const std::string& name, const tree::OptionTexts& section,
            std::string* text, std::string* error) {
  for (const char* const option :
       {"wal_dir", "db_log_dir", "db_paths", "cf_paths", "blob_dir", "blob_paths"}) {
    const auto found = section.find(option);
    if (found == section.end()) continue;
    const std::string& value = found->second;
    if (value.empty() || value == "{}" || value == "nullptr") continue;
    // A relative path depends on the program's working directory.
    const std::string path = fs::path(value).is_relative() ? "" : Resolved(value).string();
    if (path == folder) {
      EmptyOption(option, text);
      continue;
    }
    return Refuse(error, option, " in ", folder, "/", name, " is ", support::Quoted(value),
                  path.empty() ? ", relative to the working directory of its program"
                               : ", which leads to '" + path + "'",
                  ", and not to '", folder,
                  "'; allowed: the database's folder itself. With these options, a program on the "
                  "new folder would use, and delete, what the old one has there. If nothing of the "
                  "database is there, remove the line, or mount the snapshot at that path");
  }
  return true;
}

}  // namespace

bool ListDatabase(const std::string& path, DatabaseFolder* folder, std::string* error) {
  std::error_code code;
  folder->path = fs::canonical(path, code);
  if (code) return Refuse(error, path, ": ", code.message());
  if (!fs::is_directory(folder->path, code)) return Refuse(error, path, ": is not a folder");
  return ListFiles(folder->path, "", folder, error);
}

bool CheckTarget(const std::string& database, const std::string& new_folder, std::string* target,
                 std::string* error) {
  std::error_code code;
  if (new_folder.empty()) return Refuse(error, "NEWDIR is ''; allowed: the path of a new folder");
  if (database.empty()) return Refuse(error, "DIR is ''; allowed: a closed database's folder");
  const fs::path path = Resolved(new_folder);
  if (!fs::is_directory(path.parent_path(), code)) {
    return Refuse(error, new_folder, ": its parent folder cannot be used",
                  code ? ": " + code.message() : "");
  }
  const fs::path old = fs::canonical(database, code);
  if (code) return Refuse(error, database, ": ", code.message());
  if (!fs::is_directory(old, code)) return Refuse(error, database, ": is not a folder");
  if (IsInside(path, old) || IsBelow(old, path)) {
    return Refuse(
        error, "the new folder '", path.string(), "' and the database '", old.string(),
        "' lie one inside the other; allowed: a new folder beside the database or elsewhere");
  }
  *target = path;
  for (const std::string& name : {*target, *target + ".partial"}) {
    support::FileStatus status;
    if (!support::ExamineLink(name, &status)) {
      if (errno == ENOENT) continue;
      return support::SystemFailure(name, "cannot be used", error);
    }
    return Refuse(error, name, ": exists; allowed: ",
                  name == *target ? "a new name"
                                  : "none. Another run is writing it, or was killed: if none is "
                                    "running, remove it");
  }
  return true;
}

bool ReadOptions(const DatabaseFolder& folder, OptionsFiles* options, std::string* error) {
  constexpr uint64_t kMaxBytes = 256 << 20;
  for (const auto& [name, status] : folder.files) {
    if (name.rfind("OPTIONS-", 0) != 0 || fs::path(name).has_extension()) continue;  // .dbtmp
    std::string& text = options->texts[name];
    if (!support::ReadSmallFile(folder.path + "/" + name, kMaxBytes, &text, error)) return false;
    tree::OptionsFile parsed;
    tree::ParseOptionsFile(text, &parsed);
    options->newest_version =
        std::max(options->newest_version, tree::VersionOf(parsed.version["rocksdb_version"]));
    for (const auto& [family, section] : parsed.families) {
      if (!Detach(folder.path, name, section, &text, error)) return false;
    }
    if (!Detach(folder.path, name, parsed.database, &text, error)) return false;
  }
  return true;
}

}  // namespace bloomline::db
