#include "src/db/tree/database.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "src/db/tables/comparator.h"
#include "src/db/tree/folder_listing.h"
#include "src/db/tree/manifest.h"
#include "src/db/tree/options_file.h"
#include "src/db/tree/pebble.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::tree {
namespace {

using support::Refuse;
using tables::Engine;

// ---- The live files of a database's folder at one moment, even while its owner changes it.

struct Snapshot {
  std::string manifest;  // its path
  LiveFiles live;
  // Indexed by folder: the database's own first, then RocksDB's db_paths and cf_paths.
  std::vector<std::pair<std::string, FolderListing>> listings;
  OptionsFile options;          // the newest options; empty: there are none
  std::string options_problem;  // why they cannot be read; empty: they can

  // The path of a table; empty if no folder has it.
  std::string Find(uint64_t number) const {
    for (const auto& [folder, listing] : listings) {
      const auto found = listing.tables.find(number);
      if (found != listing.tables.end()) return Join(folder, found->second);
    }
    return "";
  }
};

constexpr uint64_t kMaxCurrentBytes = 4096;

bool ManifestPath(const std::string& path, std::string* manifest_path, std::string* error) {
  const std::string current = Join(path, "CURRENT");
  std::string name;
  if (!support::ReadSmallFile(current, kMaxCurrentBytes, &name, error)) return false;
  while (!name.empty() && (name.back() == '\n' || name.back() == '\r')) name.pop_back();
  if (!NumberBehind("MANIFEST-", name)) {
    return Refuse(error, current, ": has ", support::Quoted(name),
                  "; allowed: the name of a MANIFEST");
  }
  *manifest_path = Join(path, name);
  return true;
}

bool HasAllTables(const Snapshot& snapshot) {
  for (const auto& [id, family] : snapshot.live.families()) {
    for (const auto& [number, file] : family.files) {
      if (snapshot.Find(number).empty()) return false;
    }
  }
  return true;
}

// Reads CURRENT, the MANIFEST, then the listings of folders: a live table in a listing existed.
bool TryToTake(const std::string& path, const std::vector<std::string>& table_folders,
               Snapshot* snapshot, std::string* error) {
  std::string& manifest = snapshot->manifest;
  if (!ManifestPath(path, &manifest, error)) return false;
  if (!ReadManifest(manifest, &snapshot->live, error)) {
    if (!Exists(manifest)) {
      *error = Join(path, "CURRENT") + ": names " + manifest + ", which does not exist";
    }
    return false;
  }
  snapshot->listings.emplace_back(path, FolderListing());
  for (const std::string& folder : table_folders)
    snapshot->listings.emplace_back(folder, FolderListing());
  for (auto& [folder, listing] : snapshot->listings) {
    std::string failure;
    if (ListFolder(folder, &listing, &failure) || folder != path) continue;
    *error = std::move(failure);
    return false;
  }
  const uint64_t options = snapshot->listings.front().second.newest_options;
  std::string text;
  if (options != 0 && support::ReadSmallFile(Join(path, OptionsName(options)), kMaxOptionsBytes,
                                             &text, &snapshot->options_problem)) {
    ParseOptionsFile(text, &snapshot->options);
  }
  return true;
}

// While the owner writes, the MANIFEST that CURRENT names may vanish, as may tables of the MANIFEST
// and old OPTIONS. Then we read all again, after 1 and 4 ms.
bool TakeSnapshot(const std::string& path, const std::vector<std::string>& table_folders,
                  Snapshot* snapshot, std::string* error) {
  constexpr int kMaxAttempts = 3;
  bool is_taken = false;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(attempt * attempt));
    *snapshot = Snapshot();
    is_taken = TryToTake(path, table_folders, snapshot, error);
    if (is_taken && HasAllTables(*snapshot) && snapshot->options_problem.empty()) return true;
  }
  return is_taken;
}

// ---- The database of a snapshot.

Engine EngineOf(const Snapshot& snapshot) {
  // RocksDB has always used its own tags for tables.
  const LiveFiles& live = snapshot.live;
  if (live.has_rocksdb_tags()) return Engine::kRocksDB;
  for (const auto& [id, family] : live.families()) {
    if (!family.files.empty()) return Engine::kLevelDB;
  }
  const FolderListing& listing = snapshot.listings.front().second;
  return listing.has_identity || listing.newest_options > 0 ? Engine::kRocksDB : Engine::kLevelDB;
}

// LevelDB writes a previous log's number whenever it has opened a database. Only RepairDB, whose
// MANIFEST is always the first one, writes none.
bool IsOfGoLevelDB(const Snapshot& snapshot) {
  return !snapshot.live.has_previous_log() &&
         std::filesystem::path(snapshot.manifest).filename() != "MANIFEST-000001";
}

// RocksDB begins each LOG with its version. Empty: unknown.
std::string VersionInLog(const std::string& folder) {
  constexpr std::string_view kStart = "RocksDB version: ";
  support::InputFile log;
  std::string ignored;
  if (!log.Open(Join(folder, "LOG"), &ignored)) return "";
  std::string text(static_cast<size_t>(std::min<uint64_t>(log.size(), 4096)), '\0');
  if (!log.ReadAt(0, text.size(), text.data(), &ignored)) return "";
  const size_t begin = text.find(kStart);
  if (begin == text.npos) return "";
  const size_t version = begin + kStart.size();
  return text.substr(version, text.find_first_of(" \n", version) - version);
}

void AddOptions(const Snapshot& snapshot, Database* database) {
  database->rocksdb_version = VersionInLog(database->path);
  const auto version = snapshot.options.version.find("rocksdb_version");
  if (database->rocksdb_version.empty() && version != snapshot.options.version.end()) {
    database->rocksdb_version = version->second;
  }
  if (!snapshot.options_problem.empty()) database->warnings.insert(snapshot.options_problem);
  for (ColumnFamily& family : database->column_families) {
    const auto options = snapshot.options.families.find(family.name);
    if (options == snapshot.options.families.end()) continue;
    const auto text = [&](const char* name) {
      const auto found = options->second.find(name);
      return found == options->second.end() ? std::string() : found->second;
    };
    family.filter_policy = text("filter_policy");
    family.compaction_style = text("compaction_style");
    support::ParseDouble(text("max_bytes_for_level_multiplier"), &family.level_size_ratio);
    support::ParseDouble(text("max_bytes_for_level_base"), &family.base_bytes);
    support::ParseDouble(text("write_buffer_size"), &family.write_buffer_bytes);
    family.dynamic_levels = text("level_compaction_dynamic_level_bytes");
    family.caches_filters = text("cache_index_and_filter_blocks");
    family.filters_for_hits = text("optimize_filters_for_hits");
    family.format_version = text("format_version");
  }
}

// Sorts by level, then in level 0 by number, in others by key in the order of the named comparator,
// or by the keys' bytes if it is unknown.
void SortByLevelAndKey(const std::string& comparator, TableFile* begin, TableFile* end) {
  const tables::KeyOrder order = tables::OrderOf(comparator);
  const auto key = [&](const TableFile& file) {
    return tables::WithoutTimestamp(order, file.smallest_key);
  };
  std::sort(begin, end, [&](const TableFile& a, const TableFile& b) {
    if (a.level != b.level) return a.level < b.level;
    const int result = a.level == 0 ? 0 : key(a).compare(key(b));
    if (result == 0) return a.number < b.number;
    return order.is_reversed ? result > 0 : result < 0;
  });
}

// The bytes of the logs that may hold keys not yet in a table.
uint64_t LogBytes(const Snapshot& snapshot, const FolderListing& listing) {
  uint64_t first = UINT64_MAX;
  for (const auto& [id, live] : snapshot.live.families()) first = std::min(first, live.first_log);
  uint64_t sum = 0;
  for (const auto& [number, bytes] : listing.logs) sum += number >= first ? bytes : 0;
  return sum;
}

void AddLogs(const Snapshot& snapshot, Database* database) {
  database->log_bytes = LogBytes(snapshot, snapshot.listings.front().second);
  const auto wal_dir = snapshot.options.database.find("wal_dir");
  if (wal_dir == snapshot.options.database.end() || wal_dir->second.empty()) return;
  support::FileStatus own, other;
  const bool exist =
      support::Examine(database->path, &own) && support::Examine(wal_dir->second, &other);
  // RocksDB before 6.23 names the database's own folder.
  if (exist && own.device == other.device && own.number == other.number) return;
  OtherLogs& logs = database->other_logs.emplace();
  // As for RocksDB, a relative path begins at the working directory.
  std::error_code code;
  logs.folder = std::filesystem::absolute(wal_dir->second, code).string();
  FolderListing listing;
  if (ListFolder(logs.folder, &listing, &logs.problem)) logs.bytes = LogBytes(snapshot, listing);
}

void AddFiles(const Snapshot& snapshot, Database* database) {
  int index = 0;
  for (const auto& [id, live] : snapshot.live.families()) {
    const size_t begin = database->files.size();
    for (const auto& [number, file] : live.files) {
      TableFile& table = database->files.emplace_back(file);
      table.column_family = index;
      table.path = snapshot.Find(number);
      if (!table.path.empty()) continue;
      const char* const suffix = database->engine == Engine::kRocksDB ? ".sst" : ".ldb";
      table.path = Join(database->path, SixDigits(number) + suffix);
    }
    SortByLevelAndKey(live.family.comparator, database->files.data() + begin,
                      database->files.data() + database->files.size());
    database->column_families.push_back(live.family);
    ++index;
  }
}

// In both engines, a process that opens the database to write to it locks LOCK.
bool IsInUse(const std::string& path) {
  const int lock = support::OpenFile(Join(path, "LOCK"), support::NoWriter::kGoOn);
  const bool is_locked = lock >= 0 && support::IsLocked(lock);
  if (lock >= 0) support::CloseFile(lock);
  return is_locked;
}

// An owner writes tables before the MANIFEST names them, with numbers from its next file number on.
void AddNewerTables(const Snapshot& snapshot, Database* database) {
  const uint64_t next = snapshot.live.next_file_number();
  uint64_t newer = 0;
  for (const auto& table : snapshot.listings.front().second.tables) newer += table.first >= next;
  if (newer == 0) return;
  database->warnings.insert(support::StrCat(
      database->path, ": the MANIFEST lacks ", newer, newer == 1 ? " newer table" : " newer tables",
      " (number ", next, " or higher): it is cut off or old, or a crash or closing left them"));
}

bool ReadLive(const std::string& path, Database* database, std::string* error) {
  Snapshot snapshot;
  const bool was_in_use = IsInUse(path);  // an owner may close or open the database meanwhile
  if (!TakeSnapshot(path, database->table_folders, &snapshot, error)) return false;
  database->manifest = snapshot.manifest;
  database->engine = EngineOf(snapshot);
  database->is_goleveldb = database->engine == Engine::kLevelDB && IsOfGoLevelDB(snapshot);
  AddFiles(snapshot, database);
  AddLogs(snapshot, database);
  if (database->engine == Engine::kRocksDB) AddOptions(snapshot, database);
  if (!was_in_use && !IsInUse(path)) AddNewerTables(snapshot, database);
  return true;
}

// ---- Single tables.

// Returns the Database of the single tables of that engine.
Database* TablesOf(Engine engine, std::vector<Database>* databases) {
  for (Database& database : *databases) {
    if (database.path.empty() && database.engine == engine) return &database;
  }
  Database& added = databases->emplace_back();
  added.engine = engine;
  added.column_families.emplace_back();
  return &added;
}

// The engine that wrote a table; if the table cannot be read, the engine that its name suggests.
Engine EngineOfTable(const std::string& path) {
  try {
    std::string ignored;
    const auto table = tables::Table::Open(path, {}, &ignored);
    if (table != nullptr) return table->engine();
  } catch (const tables::MemoryError&) {  // who reads the file reports this, too
  }
  return std::filesystem::path(path).extension() == ".ldb" ? Engine::kLevelDB : Engine::kRocksDB;
}

void AddTable(const std::string& path, std::vector<Database>* databases) {
  TableFile table;
  table.path = path;
  std::error_code code;
  const uint64_t bytes = std::filesystem::file_size(path, code);
  if (!code) table.bytes = bytes;
  TablesOf(EngineOfTable(path), databases)->files.push_back(std::move(table));
}

}  // namespace

RocksDBVersion VersionOf(const std::string& text) {
  RocksDBVersion version;
  const bool is_version = std::sscanf(text.c_str(), "%d.%d", &version.first, &version.second) == 2;
  return is_version ? version : RocksDBVersion();
}

bool IsDatabase(const std::string& path, std::string* error) {
  const PebbleSign sign = FindPebbleSign(path);
  const bool has_current = Exists(Join(path, "CURRENT"));
  // A stray table in a folder of another engine shows nothing.
  const bool is_pebble = sign.kind != PebbleSign::Kind::kNone &&
                         (sign.kind != PebbleSign::Kind::kTable || !has_current);
  if (is_pebble) return Refuse(error, path, PebbleRefusal(sign.text));
  return has_current ||
         Refuse(error, path, ": has no CURRENT file, so it is not a database directory");
}

bool ReadDirectory(const std::string& path, const std::vector<std::string>& table_folders,
                   Database* database, std::string* error) {
  database->path = path;
  while (database->path.size() > 1 && database->path.back() == '/') database->path.pop_back();
  database->table_folders = table_folders;
  const PebbleSign sign = FindPebbleSign(database->path);
  const std::string pebble = PebbleText(sign.text);
  if (sign.kind == PebbleSign::Kind::kMarker) {
    return Refuse(error, path, pebble,
                  ", of which nothing is read; tables that it has in RocksDB's format can be named "
                  "one by one (*.sst)");
  }
  std::string problem = "it has no CURRENT file";
  if (Exists(Join(database->path, "CURRENT"))) {
    if (ReadLive(database->path, database, &problem)) {
      if (sign.kind != PebbleSign::Kind::kOptions) return true;
      database->pebble_sign = sign.text;
      database->warnings.insert(path + pebble +
                                " in RocksDB's format: its MANIFEST and tables are read, its "
                                "options are not");
      return true;
    }
    if (sign.kind == PebbleSign::Kind::kNone) return Refuse(error, problem);
  }
  if (sign.kind != PebbleSign::Kind::kNone) {
    return Refuse(error, path, pebble, ", of which nothing is read: ", problem);
  }
  return Refuse(error, path,
                ": has no CURRENT file, so it is not a database directory; to examine single "
                "tables, name these files (*.sst, *.ldb)");
}

bool OpenInput(const std::string& path, std::vector<Database>* databases, std::string* error,
               const std::vector<std::string>& table_folders) {
  using std::filesystem::file_type;
  std::error_code code;
  switch (std::filesystem::status(path, code).type()) {
    case file_type::directory: {
      Database database;
      if (!ReadDirectory(path, table_folders, &database, error)) return false;
      databases->push_back(std::move(database));
      return true;
    }
    case file_type::regular:
      AddTable(path, databases);
      return true;
    case file_type::not_found:
      return Refuse(error, path, ": does not exist; allowed: a database's folder, or a table");
    default:
      return Refuse(error, path, ": ",
                    code ? code.message() : "is neither a folder nor a regular file");
  }
}

}  // namespace bloomline::tree
