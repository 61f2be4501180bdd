// Databases of every kind of filter whose filters lose keys, and what their engine finds in them.
#ifndef BLOOMLINE_TESTS_DB_PLANTED_LOSSES_H_
#define BLOOMLINE_TESTS_DB_PLANTED_LOSSES_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace bloomline::tests {

using Keys = std::vector<std::string>;

struct Kind {
  std::string name;
  int num_keys;
  // Writes the keys, which are sorted, into several tables. No key is in two of them. Changes bits
  // of filters while they are built, unless the seed is 0.
  std::function<void(const std::string& folder, const Keys& keys, uint64_t seed)> write;
  // Those of the keys that a Get does not find. Null: the filters hold only prefixes.
  std::function<Keys(const std::string& folder, const Keys& keys)> lost;
  // The prefixes of those of the keys that an iterator over their prefix does not find, or a Get
  // where the filters hold only prefixes. Null: they hold none.
  std::function<Keys(const std::string& folder, const Keys& keys)> lost_prefixes;
  // Those of the keys that an iterator over one of the ranges around them does not find. Null: the
  // filters have no range entries.
  std::function<Keys(const std::string& folder, const Keys& keys)> lost_to_ranges;
  bool is_compressed = false;
  size_t block_bytes = 0;
};
inline void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

// All keys begin with a prefix of so many bytes.
constexpr size_t kPrefixBytes = 8;
constexpr int kTables = 4;  // of each database

// Ends the program if an engine has failed.
template <typename Status>
void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

// Changes from no bit to a tenth of all.
inline void DamageBits(char* bits, size_t bytes, std::mt19937_64* random) {
  if (bytes == 0) return;
  const size_t most[] = {0, 1, 3, 1 + bytes / 100, 1 + bytes * 8 / 10};
  for (size_t n = most[(*random)() % std::size(most)]; n > 0; --n) {
    bits[(*random)() % bytes] ^= static_cast<char>(1 << (*random)() % 8);
  }
}

std::vector<Kind> RocksDBKinds();
std::vector<Kind> LevelDBKinds();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_PLANTED_LOSSES_H_
