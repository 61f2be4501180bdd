// Databases of every kind of filter, and what their engine finds in them.
#ifndef BLOOMLINE_TESTS_DB_TOOL_KINDS_H_
#define BLOOMLINE_TESTS_DB_TOOL_KINDS_H_

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace bloomline::tests {

using Keys = std::vector<std::string>;

struct Kind {
  std::string name;
  int num_keys;
  // Writes the keys, which are sorted, into several tables. No key is in two of them.
  std::function<void(const std::string& folder, const Keys& keys)> write;
  // Those of the keys that a Get does not find. Null: the filters hold only prefixes.
  std::function<Keys(const std::string& folder, const Keys& keys)> lost;
  // The prefixes of those of the keys that an iterator over their prefix does not find, or a Get
  // where the filters hold only prefixes. Null: they hold none.
  std::function<Keys(const std::string& folder, const Keys& keys)> lost_prefixes;
  bool is_compressed = false;
};
inline void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

// All keys begin with a prefix of so many bytes.
constexpr size_t kPrefixBytes = 8;
constexpr int kTables = 4;  // of each database

std::vector<Kind> RocksDBKinds();
std::vector<Kind> LevelDBKinds();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_TOOL_KINDS_H_
