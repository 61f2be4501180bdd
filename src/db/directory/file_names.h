// The names in a database's folder: file/filename.cc of RocksDB, db/filename.cc of LevelDB.
#ifndef BLOOMLINE_DB_DIRECTORY_FILE_NAMES_H_
#define BLOOMLINE_DB_DIRECTORY_FILE_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bloomline::directory {

std::string Join(const std::string& folder, const std::string& name);

// The number in "MANIFEST-000012" and the like: `prefix` and decimal digits, nothing else.
std::optional<uint64_t> NumberBehind(std::string_view prefix, std::string_view name);

std::string SixDigits(uint64_t number);  // or more: 12 is "000012"

// The files of a folder that are used here.
struct Listing {
  std::unordered_map<uint64_t, std::string> tables;  // the name by the number
  uint64_t newest_options = 0;                       // 0: none
  bool has_identity = false;
};
bool ListFolder(const std::string& folder, Listing* listing, std::string* error);

// Reads all of a small file. Returns false with *error.
bool ReadSmallFile(const std::string& path, uint64_t max_bytes, std::string* text,
                   std::string* error);

bool Exists(const std::string& path);

}  // namespace bloomline::directory

#endif  // BLOOMLINE_DB_DIRECTORY_FILE_NAMES_H_
