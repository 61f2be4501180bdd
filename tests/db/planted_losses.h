// Databases of every kind of filter whose filters lose keys, and what their engine finds in them.
#ifndef BLOOMLINE_TESTS_DB_PLANTED_LOSSES_H_
#define BLOOMLINE_TESTS_DB_PLANTED_LOSSES_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace bloomline::tests {

using Keys = std::vector<std::string>;

enum class Loss {
  kKey,     // a Get does not find the key
  kPrefix,  // an iterator over the prefix of a key does not find the key, or a Get where the
            // filters hold only prefixes
  kRange,   // a RangeScan of a range that has the key does not find it
};

struct Kind {
  std::string name;
  int num_keys;
  // Writes the keys, which are sorted, into several tables. No key is in two of them. Changes bits
  // of filters while they are built, unless the seed is 0.
  std::function<void(const std::string& folder, const Keys& keys, uint64_t seed)> write;
  // For each loss that such filters can have, the keys or prefixes that the engine does not find.
  std::map<Loss, std::function<Keys(const std::string& folder, const Keys& keys)>> lost;
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
