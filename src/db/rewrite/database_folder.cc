#include "src/db/rewrite/database_folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "src/db/directory/options_file.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"
#include "src/support/set_error.h"

namespace bloomline::db {
namespace {

namespace fs = std::filesystem;

using support::Refuse;

// The folders in which engines keep what they no longer read.
constexpr const char* kKnownFolders[] = {"archive", "lost"};

bool IsKnownFolder(const std::string& name) {
  return std::find(std::begin(kKnownFolders), std::end(kKnownFolders), name) !=
         std::end(kKnownFolders);
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// Adds one file, or returns false with *error if it is nothing that can be copied.
bool AddFile(const fs::path& path, const std::string& name, DatabaseFolder* folder,
             std::string* error) {
  support::FileState& state = folder->files[name];
  if (!support::ExamineState(path, &state)) {
    return support::SystemFailure(path, "cannot be examined", error);
  }
  if (state.is_link) {
    std::error_code code;
    fs::path target = fs::canonical(path, code);
    if (code) target = fs::read_symlink(path, code);
    return Refuse(error, "the link '", path.string(), "' leads to '", target.string(),
                  "', so not all of the database is in '", folder->path,
                  "'; allowed: files of its own");
  }
  const bool is_top = name.find('/') == name.npos;
  if (state.is_regular || (state.is_folder && is_top && IsKnownFolder(name))) return true;
  std::error_code code;
  if (state.is_folder && fs::is_empty(path, code) && !code) return true;
  return Refuse(error, path.string(),
                state.is_folder ? ": is a folder with files, which may be logs or tables of the "
                                  "database; allowed: files in the database's folder itself"
                                : ": is no regular file; allowed: files");
}

bool ListFiles(const fs::path& path, const std::string& before, DatabaseFolder* folder,
               std::string* error) {
  std::error_code code;
  fs::directory_iterator entry(path, code);
  for (const fs::directory_iterator end; !code && entry != end; entry.increment(code)) {
    const std::string name = before + entry->path().filename().string();
    if (!AddFile(entry->path(), name, folder, error)) return false;
    const bool is_listed = before.empty() && IsKnownFolder(name) && folder->files[name].is_folder;
    if (is_listed && !ListFiles(entry->path(), name + "/", folder, error)) return false;
  }
  return !code || Refuse(error, path.string(), ": cannot be listed: ", code.message());
}

// Where a path in an OPTIONS file leads; empty if that depends on the program's working directory.
std::string TargetOf(const std::string& value) {
  if (fs::path(value).is_relative()) return "";
  std::error_code code;
  fs::path path = fs::weakly_canonical(value, code);
  if (code) path = fs::path(value).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();  // behind a slash
  return path;
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
  // Not normalized as text: behind a link, ".." is the parent of the folder that it leads to.
  fs::path path = fs::absolute(new_folder, code);
  if (!code && path.filename().empty()) path = path.parent_path();  // behind a slash
  const fs::path parent = code ? fs::path() : fs::canonical(path.parent_path(), code);
  if (code || !fs::is_directory(parent, code)) {
    return Refuse(error, new_folder, ": the folder that it should be in cannot be used",
                  code ? ": " + code.message() : "");
  }
  path = parent / path.filename();
  const fs::path old = fs::canonical(database, code);
  if (code) return Refuse(error, database, ": ", code.message());
  if (IsBelow(path, old) || IsBelow(old, path)) {
    return Refuse(error, "the new folder '", path.string(), "' and the database '", old.string(),
                  "' are in one another; allowed: a new folder beside the database or elsewhere");
  }
  *target = path;
  for (const std::string& name : {*target, *target + ".partial"}) {
    support::FileState state;
    if (!support::ExamineState(name, &state) && errno == ENOENT) continue;
    return Refuse(error, name, ": exists; allowed: ",
                  name == *target
                      ? "a new name"
                      : "none. A run that was killed left it, or another one is writing it: if "
                        "none is, remove it");
  }
  return true;
}

bool DetachOptions(const DatabaseFolder& folder, const std::string& name, std::string* text,
                   std::string* error) {
  directory::OptionsFile options;
  directory::ParseOptionsFile(*text, &options);
  const auto check = [&](const directory::OptionMap& section) {
    for (const char* const option :
         {"wal_dir", "db_log_dir", "db_paths", "cf_paths", "blob_dir", "blob_paths"}) {
      const auto found = section.find(option);
      if (found == section.end()) continue;
      const std::string& value = found->second;
      if (value.empty() || value == "{}" || value == "nullptr") continue;
      const std::string path = TargetOf(value);
      if (path == folder.path) {
        EmptyOption(option, text);
        continue;
      }
      return Refuse(error, option, " in ", folder.path, "/", name, " is ", support::Quoted(value),
                    path.empty() ? ", relative to the working directory of its program"
                                 : ", which leads to '" + path + "'",
                    ", and not to '", folder.path,
                    "'; allowed: the database's folder itself. With these options, a program on "
                    "the new folder would use, and delete, what the old one has there. If nothing "
                    "of the database is there, remove the line");
    }
    return true;
  };
  for (const auto& [family, section] : options.families) {
    if (!check(section)) return false;
  }
  return check(options.database);
}

}  // namespace bloomline::db
