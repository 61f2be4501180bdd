// One record of a MANIFEST: changes of a column family's tables. LevelDB and RocksDB share the
// format; RocksDB has more tags (db/version_edit.h; up to RocksDB 11).
#ifndef BLOOMLINE_INSPECT_DATABASE_VERSION_EDIT_H_
#define BLOOMLINE_INSPECT_DATABASE_VERSION_EDIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline::database {

struct LiveFile {
  int level = 0;
  uint64_t number = 0;
  uint64_t bytes = 0;
  uint32_t path_id = 0;                   // index into RocksDB's cf_paths or db_paths
  std::string smallest_key, largest_key;  // user keys
};

struct DeletedFile {
  int level = 0;
  uint64_t number = 0;
};

struct VersionEdit {
  std::optional<std::string> comparator;
  uint32_t column_family = 0;
  bool adds_column_family = false;
  bool drops_column_family = false;
  std::string column_family_name;
  std::vector<DeletedFile> deleted_files;
  std::vector<LiveFile> new_files;
  // How many more edits belong to its atomic group. RocksDB applies all of a group, or none.
  std::optional<uint32_t> remaining_in_group;
  bool has_rocksdb_tags = false;
};

enum class EditError {
  kNone,
  kDamaged,       // what: "a new file"
  kNewerVersion,  // what: "tag 16"
};

// Decodes all of `record`. Otherwise *what names the field.
EditError DecodeVersionEdit(std::string_view record, VersionEdit* edit, std::string* what);

}  // namespace bloomline::database

#endif  // BLOOMLINE_INSPECT_DATABASE_VERSION_EDIT_H_
