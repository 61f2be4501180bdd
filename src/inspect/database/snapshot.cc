#include "src/inspect/database/snapshot.h"

#include <filesystem>
#include <system_error>

#include "src/inspect/database/info_log.h"

namespace bloomline::database {
namespace {

constexpr uint64_t kMaxCurrentBytes = 4096;

bool ManifestPath(const std::string& path, std::string* manifest_path, bool* vanished,
                  std::string* error) {
  const std::string current = Join(path, "CURRENT");
  std::string name;
  if (!ReadSmallFile(current, kMaxCurrentBytes, &name, vanished, error)) return false;
  while (!name.empty() && (name.back() == '\n' || name.back() == '\r')) name.pop_back();
  if (!NumberBehind("MANIFEST-", name)) {
    *error = current + ": has " + Quoted(name) + "; allowed: the name of a MANIFEST";
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

// One attempt. *again: it failed because something changed meanwhile.
bool TryToTake(const std::string& path, const std::vector<std::string>& table_folders,
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
  if (!snapshot->folders.Add(path, error)) return false;
  for (const std::string& folder : table_folders) {
    std::string ignored;
    snapshot->folders.Add(folder, &ignored);
  }
  return true;
}

}  // namespace

bool TableFolders::Add(const std::string& folder, std::string* error) {
  for (const auto& [name, listing] : listings_) {
    if (name == folder) return true;
  }
  Listing listing;
  if (!ListFolder(folder, &listing, error)) return false;
  listings_.emplace_back(folder, std::move(listing));
  return true;
}

std::string TableFolders::Find(uint64_t number) const {
  for (const auto& [folder, listing] : listings_) {
    const auto found = listing.tables.find(number);
    if (found != listing.tables.end()) return Join(folder, found->second);
  }
  return "";
}

bool TakeSnapshot(const std::string& path, std::vector<std::string>* table_folders,
                  Snapshot* snapshot, std::string* error) {
  for (int attempt = 0;; ++attempt) {
    const bool is_last = attempt >= kMaxAttempts;
    WaitBefore(attempt);
    *snapshot = Snapshot();
    bool again = false;
    std::string failure;
    if (!TryToTake(path, *table_folders, snapshot, &again, &failure)) {
      if (again && !is_last) continue;
      *error = std::move(failure);
      return false;
    }
    snapshot->missing = MissingTables(*snapshot);
    if (!snapshot->missing.empty() && table_folders->empty()) {
      // RocksDB records its folders nowhere but in LOG.
      for (std::string& folder : TableFoldersInLog(path)) {
        if (Exists(Join(folder, "CURRENT")) || !snapshot->folders.Add(folder, &failure)) continue;
        table_folders->push_back(std::move(folder));
      }
      snapshot->missing = MissingTables(*snapshot);
    }
    const bool is_whole = snapshot->missing.empty() && snapshot->manifest.warnings.empty();
    snapshot->is_settled = is_whole || IsUnchanged(path, *snapshot);
    if (snapshot->is_settled || is_last) return true;
  }
}

}  // namespace bloomline::database
