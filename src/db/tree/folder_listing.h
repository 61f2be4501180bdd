// The names of the files in a database's folder: file/filename.cc of RocksDB, db/filename.cc of
// LevelDB.
#ifndef BLOOMLINE_DB_TREE_FOLDER_LISTING_H_
#define BLOOMLINE_DB_TREE_FOLDER_LISTING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bloomline::tree {

std::string Join(const std::string& folder, const std::string& name);
bool Exists(const std::string& path);

// As in the names of files, at least six digits: 12 is "000012".
std::string SixDigits(uint64_t number);
std::string OptionsName(uint64_t number);  // "OPTIONS-000012"

// The number in "MANIFEST-000012" and the like: `prefix` and decimal digits, nothing else.
std::optional<uint64_t> NumberBehind(std::string_view prefix, std::string_view name);

// The files of a folder that are used here.
struct FolderListing {
  std::unordered_map<uint64_t, std::string> tables;  // the name by the number
  std::vector<std::pair<uint64_t, uint64_t>> logs;   // write-ahead logs: number and bytes
  uint64_t newest_options = 0;                       // 0: none
  bool has_identity = false;
  std::string pebble_marker;  // the file whose name has that of Pebble's MANIFEST; empty: none
};

bool ListFolder(const std::string& folder, FolderListing* listing, std::string* error);

// No OPTIONS file has more bytes.
constexpr uint64_t kMaxOptionsBytes = 256 << 20;

}  // namespace bloomline::tree

#endif  // BLOOMLINE_DB_TREE_FOLDER_LISTING_H_
