// What is live in a database's folder at one moment, also while its owner changes it.
#ifndef BLOOMLINE_INSPECT_DATABASE_SNAPSHOT_H_
#define BLOOMLINE_INSPECT_DATABASE_SNAPSHOT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/inspect/database/file_names.h"
#include "src/inspect/database/manifest.h"

namespace bloomline::database {

// The folders that tables are in: the database's own, and RocksDB's db_paths and cf_paths.
class TableFolders {
 public:
  bool Add(const std::string& folder, std::string* error);
  std::string Find(uint64_t number) const;  // the path; empty: it is in none
  const Listing& front() const { return listings_.front().second; }  // of the database's own

 private:
  std::vector<std::pair<std::string, Listing>> listings_;
};

struct Snapshot {
  std::string manifest_path;
  Manifest manifest;
  TableFolders folders;
  std::vector<uint64_t> missing;  // live, and in none of the folders
  // The MANIFEST has not changed since it was read: its owner has not removed what is missing.
  bool is_settled = false;
};

// Reads CURRENT, then the MANIFEST, then the listings of folders: a table that both have was there.
// If tables are missing and *table_folders is empty, it becomes those that LOG names, except other
// databases: the LOG of a copied database names the folder of the original. While the owner writes,
// CURRENT may name a MANIFEST that is gone, and the MANIFEST tables that are gone: then all is read
// again, at most 12 times.
bool TakeSnapshot(const std::string& path, std::vector<std::string>* table_folders,
                  Snapshot* snapshot, std::string* error);

}  // namespace bloomline::database

#endif  // BLOOMLINE_INSPECT_DATABASE_SNAPSHOT_H_
