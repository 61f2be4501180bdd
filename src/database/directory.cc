#include "src/database/directory.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "src/database/file_names.h"
#include "src/database/info_log.h"
#include "src/database/key_order.h"
#include "src/database/manifest.h"
#include "src/database/options_file.h"
#include "src/errors/number_text.h"

namespace bloomline::database {
namespace {

using sstable::Engine;

// While the owner writes, CURRENT may name a MANIFEST that is gone, and a MANIFEST tables that are
// gone. Then all is read again, after 0, 1, 4, 9, ... ms.
constexpr int kMaxAttempts = 12;
constexpr uint64_t kMaxCurrentBytes = 4096;
constexpr uint64_t kMaxOptionsBytes = 256 << 20;
constexpr size_t kMaxNamesInWarning = 5;

void WaitBefore(int attempt) {
  std::this_thread::sleep_for(std::chrono::milliseconds(attempt * attempt));
}

std::string TableName(uint64_t number, Engine engine) {
  std::string digits = std::to_string(number);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return digits + (engine == Engine::kRocksDB ? ".sst" : ".ldb");
}

// RocksDB with several folders for tables. The listings come after the MANIFEST was read: a table
// that both have was there.
class TableFolders {
 public:
  bool List(const std::string& folder, std::string* error) {
    for (const auto& [name, listing] : listings_) {
      if (name == folder) return true;
    }
    Listing listing;
    if (!ListFolder(folder, &listing, error)) return false;
    listings_.emplace_back(folder, std::move(listing));
    return true;
  }

  // Empty: it is in none.
  std::string Find(uint64_t number) const {
    for (const auto& [folder, listing] : listings_) {
      const auto found = listing.tables.find(number);
      if (found != listing.tables.end()) return Join(folder, found->second);
    }
    return "";
  }

  const Listing& front() const { return listings_.front().second; }

 private:
  std::vector<std::pair<std::string, Listing>> listings_;
};

struct Snapshot {
  std::string manifest_path;
  Manifest manifest;
  TableFolders folders;
};

bool ManifestPath(const std::string& path, std::string* manifest_path, bool* vanished,
                  std::string* error) {
  const std::string current = Join(path, "CURRENT");
  std::string name;
  if (!ReadSmallFile(current, kMaxCurrentBytes, &name, vanished, error)) return false;
  while (!name.empty() && (name.back() == '\n' || name.back() == '\r')) name.pop_back();
  if (!NumberBehind("MANIFEST-", name)) {
    *error = current + ": has '" + name.substr(0, 80) + "'; allowed: the name of a MANIFEST";
    return false;
  }
  *manifest_path = Join(path, name);
  return true;
}

bool IsUnchanged(const std::string& path, const Snapshot& snapshot) {
  std::string manifest_path, ignored;
  bool vanished;
  if (!ManifestPath(path, &manifest_path, &vanished, &ignored)) return false;
  std::error_code code;
  return manifest_path == snapshot.manifest_path &&
         std::filesystem::file_size(manifest_path, code) == snapshot.manifest.bytes && !code;
}

std::vector<uint64_t> MissingTables(const Snapshot& snapshot) {
  std::vector<uint64_t> missing;
  for (const auto& [id, family] : snapshot.manifest.live.families()) {
    for (const auto& [number, file] : family.files) {
      if (snapshot.folders.Find(number).empty()) missing.push_back(number);
    }
  }
  return missing;
}

// One attempt. *again: something changed meanwhile.
bool TakeSnapshot(const std::string& path, const std::vector<std::string>& table_folders,
                  Snapshot* snapshot, bool* again, std::string* error) {
  if (!ManifestPath(path, &snapshot->manifest_path, again, error)) return false;
  bool vanished;
  if (!ReadManifest(snapshot->manifest_path, &snapshot->manifest, &vanished, error)) {
    // The owner removes a MANIFEST when CURRENT names another.
    std::string now, ignored;
    bool is_gone;
    *again = ManifestPath(path, &now, &is_gone, &ignored) && now != snapshot->manifest_path;
    *again = *again || (!vanished && !IsUnchanged(path, *snapshot));
    if (vanished && !*again) {
      *error =
          Join(path, "CURRENT") + ": names " + snapshot->manifest_path + ", which does not exist";
    }
    return false;
  }
  if (!snapshot->folders.List(path, error)) return false;
  for (const std::string& folder : table_folders) {
    std::string ignored;
    snapshot->folders.List(folder, &ignored);
  }
  return true;
}

Engine EngineOf(const Snapshot& snapshot) {
  // RocksDB has always used tags of its own for tables.
  const LiveFiles& live = snapshot.manifest.live;
  if (live.has_rocksdb_tags()) return Engine::kRocksDB;
  for (const auto& [id, family] : live.families()) {
    if (!family.files.empty()) return Engine::kLevelDB;
  }
  const Listing& listing = snapshot.folders.front();
  return listing.has_identity || listing.newest_options > 0 ? Engine::kRocksDB : Engine::kLevelDB;
}

void SetNumber(const OptionMap& options, const char* name, double* number) {
  const auto found = options.find(name);
  if (found != options.end()) core::ParseDouble(found->second, number);
}

void ApplyOptions(const OptionMap& options, ColumnFamily* family) {
  family->options = options;
  const auto text = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  };
  family->filter_policy = text("filter_policy");
  family->compaction_style = text("compaction_style");
  SetNumber(options, "max_bytes_for_level_multiplier", &family->level_size_ratio);
  double num_levels = family->num_levels;
  SetNumber(options, "num_levels", &num_levels);
  if (num_levels >= 1 && num_levels <= 256) family->num_levels = static_cast<int>(num_levels);
}

// The newest OPTIONS file. RocksDB renames complete files into place and deletes old ones.
void ReadOptions(Database* database) {
  OptionsFile options;
  std::string error;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    WaitBefore(attempt);
    Listing listing;
    if (!ListFolder(database->path, &listing, &error)) break;
    if (listing.newest_options == 0) return;
    std::string name = std::to_string(listing.newest_options);
    if (name.size() < 6) name.insert(0, 6 - name.size(), '0');
    std::string text;
    bool vanished;
    if (ReadSmallFile(Join(database->path, "OPTIONS-" + name), kMaxOptionsBytes, &text, &vanished,
                      &error)) {
      error.clear();
      ParseOptionsFile(text, &options);
      break;
    }
    if (!vanished) break;
  }
  if (!error.empty()) database->warnings.push_back(error);
  for (ColumnFamily& family : database->column_families) {
    const auto found = options.column_families.find(family.name);
    if (found != options.column_families.end()) ApplyOptions(found->second, &family);
  }
}

void AddFiles(Snapshot* snapshot, Database* database) {
  int index = 0;
  for (const auto& [id, live] : snapshot->manifest.live.families()) {
    ColumnFamily family;
    family.id = id;
    family.name = live.name;
    family.comparator = live.comparator;
    const size_t begin = database->files.size();
    for (const auto& [number, file] : live.files) {
      TableFile table;
      table.path = snapshot->folders.Find(number);
      if (table.path.empty()) {
        table.path = Join(database->path, TableName(number, database->engine));
      }
      table.number = number;
      table.bytes = file.bytes;
      table.level = file.level;
      table.column_family = index;
      table.smallest_key = file.smallest_key;
      table.largest_key = file.largest_key;
      family.num_levels = std::max(family.num_levels, file.level + 1);
      database->files.push_back(std::move(table));
    }
    SortByLevelAndKey(live.comparator, database->files.data() + begin,
                      database->files.data() + database->files.size());
    database->column_families.push_back(std::move(family));
    ++index;
  }
}

void WarnOfMissing(const std::vector<uint64_t>& missing, bool other_folders, Database* database) {
  std::string names;
  for (size_t i = 0; i < std::min(missing.size(), kMaxNamesInWarning); ++i) {
    names += (i == 0 ? "" : ", ") + TableName(missing[i], database->engine);
  }
  if (missing.size() > kMaxNamesInWarning) names += ", ...";
  database->warnings.push_back(
      database->path + ": " + std::to_string(missing.size()) + " of its tables " +
      (missing.size() == 1 ? "is" : "are") + " not there: " + names +
      (other_folders ? "; RocksDB has some in folders of their own (db_paths, cf_paths)" : ""));
}

bool HasOtherPaths(const Snapshot& snapshot) {
  for (const auto& [id, family] : snapshot.manifest.live.families()) {
    for (const auto& [number, file] : family.files) {
      if (file.path_id > 0) return true;
    }
  }
  return false;
}

bool ReadLive(const std::string& path, Database* database, std::string* error) {
  Snapshot snapshot;
  std::vector<uint64_t> missing;
  bool is_settled = false;
  for (int attempt = 0; !is_settled; ++attempt) {
    WaitBefore(attempt);
    snapshot = Snapshot();
    bool again = false;
    std::string failure;
    if (!TakeSnapshot(path, database->table_folders, &snapshot, &again, &failure)) {
      if (again && attempt < kMaxAttempts) continue;
      *error = std::move(failure);
      return false;
    }
    missing = MissingTables(snapshot);
    if (!missing.empty() && database->table_folders.empty()) {
      // RocksDB records its folders nowhere but in LOG.
      database->table_folders = TableFoldersInLog(path);
      for (const std::string& folder : database->table_folders) {
        snapshot.folders.List(folder, &failure);
      }
      missing = MissingTables(snapshot);
    }
    const bool is_whole = missing.empty() && snapshot.manifest.warnings.empty();
    is_settled = is_whole || IsUnchanged(path, snapshot) || attempt >= kMaxAttempts;
  }
  database->engine = EngineOf(snapshot);
  database->warnings = snapshot.manifest.warnings;
  AddFiles(&snapshot, database);
  if (!missing.empty()) WarnOfMissing(missing, HasOtherPaths(snapshot), database);
  if (database->engine == Engine::kRocksDB) ReadOptions(database);
  return true;
}

// A folder without CURRENT, or what was copied out of one.
bool ReadTables(const std::string& path, const Listing& listing, Database* database,
                std::string* error) {
  std::vector<std::pair<uint64_t, std::string>> names(listing.tables.begin(), listing.tables.end());
  std::sort(names.begin(), names.end());
  for (const std::string& name : listing.other_tables) names.emplace_back(0, name);
  if (names.empty()) {
    *error = path + ": is no database: it has neither CURRENT nor tables (*.sst, *.ldb)";
    for (const std::string& folder : listing.folders) {
      if (!Exists(Join(Join(path, folder), "CURRENT"))) continue;
      *error += "; " + Join(path, folder) + " has CURRENT";
      break;
    }
    return false;
  }
  for (auto& [number, name] : names) {
    TableFile table;
    table.path = Join(path, name);
    table.number = number;
    std::error_code code;
    const uint64_t bytes = std::filesystem::file_size(table.path, code);
    if (!code) table.bytes = bytes;
    database->files.push_back(std::move(table));
  }
  database->engine = EngineOfTable(database->files.front().path);
  database->column_families.emplace_back();
  database->warnings.push_back(
      path + ": has no CURRENT; all its tables are read, and their levels " + "are unknown");
  return true;
}

}  // namespace

bool ReadDirectory(const std::string& path, const std::vector<std::string>& table_folders,
                   Database* database, std::string* error) {
  database->path = path;
  while (database->path.size() > 1 && database->path.back() == '/') database->path.pop_back();
  database->table_folders = table_folders;
  Listing listing;
  if (!ListFolder(database->path, &listing, error)) return false;
  if (listing.has_current) return ReadLive(database->path, database, error);
  return ReadTables(database->path, listing, database, error);
}

}  // namespace bloomline::database
