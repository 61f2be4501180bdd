// A record of a MANIFEST: changes of a column family's tables. LevelDB and RocksDB share the
// format; RocksDB has more tags (db/version_edit.h; up to RocksDB 11).
#ifndef BLOOMLINE_DB_TREE_VERSION_EDIT_H_
#define BLOOMLINE_DB_TREE_VERSION_EDIT_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/tree/database.h"

namespace bloomline::tree {

struct DeletedFile {
  int level = 0;
  uint64_t number = 0;
};

// The database's numbers. Engines refuse a MANIFEST without them: LevelDB VersionSet::Recover,
// RocksDB VersionEditHandler::CheckIterationResult.
constexpr const char* kNumbers[] = {"log number", "next file number", "last sequence number"};
using Numbers = std::array<std::optional<uint64_t>, std::size(kNumbers)>;

struct VersionEdit {
  std::optional<std::string> comparator;
  uint32_t column_family = 0;
  bool adds_column_family = false;
  bool drops_column_family = false;
  std::string column_family_name;
  std::vector<DeletedFile> deleted_files;
  std::vector<TableFile> new_files;  // without their paths
  // The number of further edits in its atomic group. RocksDB applies all of a group, or none.
  std::optional<uint32_t> remaining_in_group;
  Numbers numbers;  // the numbers in this edit
  bool has_rocksdb_tags = false;
  bool has_previous_log = false;
};

// Decodes all of `record`. Returns false with *problem: "has wrong bytes in a new file".
bool DecodeVersionEdit(std::string_view record, VersionEdit* edit, std::string* problem);

// Appends that an edit adds the file, with the newest tag of its engine.
void EncodeNewFile(const TableFile& file, std::string* record);

}  // namespace bloomline::tree

#endif  // BLOOMLINE_DB_TREE_VERSION_EDIT_H_
