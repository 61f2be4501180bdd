// A record of a MANIFEST: changes of a column family's tables. LevelDB and RocksDB share the
// format; RocksDB has more tags (db/version_edit.h; up to RocksDB 11).
#ifndef BLOOMLINE_DB_DIRECTORY_VERSION_EDIT_H_
#define BLOOMLINE_DB_DIRECTORY_VERSION_EDIT_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/directory/database.h"

namespace bloomline::directory {

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
};

// Decodes all of `record`. Returns false with *problem: "has wrong bytes in a new file".
bool DecodeVersionEdit(std::string_view record, VersionEdit* edit, std::string* problem);

// A new table in a record. The views are parts of the record.
struct NewFile {
  bool is_leveldb = false;  // has the tag of LevelDB, and no fields
  uint32_t level = 0;
  uint64_t number = 0;
  uint64_t path = 0;  // a number, in old versions of RocksDB
  uint64_t bytes = 0;
  std::string_view keys;  // smallest and largest; in RocksDB, also sequence numbers
  std::string_view
      fields;  // others of RocksDB: a number and a length before each, kEndOfFields last
};
constexpr uint32_t kEndOfFields = 1;

// Decodes TableFile::stored. Returns false if DecodeVersionEdit would not accept it.
bool DecodeNewFile(std::string_view stored, NewFile* file);
// Appends it, but for its path, with the newest tag of its engine.
void EncodeNewFile(const NewFile& file, std::string* record);

}  // namespace bloomline::directory

#endif  // BLOOMLINE_DB_DIRECTORY_VERSION_EDIT_H_
