// The rows that are loaded and the keys that are asked. All orders are random with a fixed seed, so
// that no query follows the order of the filters, and every run asks the same.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_KEY_SETS_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_KEY_SETS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace bloomline::bench {

struct KeySet {
  std::string name;               // for flags and CSV
  std::string description;        // for people, with row counts
  std::vector<std::string> keys;  // loaded, in the order of loading
  std::vector<std::string>
      near;  // absent: same length as a loaded key, next to it, inside the range
  std::vector<std::string> far;     // absent: of the same kind, but from stretches left out
  std::vector<std::string> values;  // of keys; empty: made up, value_bytes each
  size_t value_bytes = 0;

  std::string Value(size_t i) const;
};

// A file of real keys, "key  value" per line or only keys.
struct KeyList {
  std::string file;
  std::string title;  // where it comes from
};

// At most max_absent keys of each absent kind. 5 % of the list stays unloaded at any `rows`.
// Throws std::runtime_error if the list cannot be read or is too short to be of use.
KeySet PathKeys(const KeyList& list, size_t rows, size_t max_absent);

// Both give LevelDB 36 keys to a data block, and so to a filter. The number matters to LevelDB's
// own filter, whose rate on big-endian neighbours swings between 19 and 99 % from 31 to 39 keys.
constexpr size_t kBigEndianValueBytes = 102;
constexpr size_t kDecimalValueBytes = 100;

// Even numbers, less every sixth stretch of 256 of them (some seven data blocks); near asks odd
// numbers between loaded ones, far asks even numbers of the stretches left out.
KeySet BigEndianKeys(size_t rows, size_t max_absent, size_t value_bytes);
KeySet DecimalKeys(size_t rows, size_t max_absent, size_t value_bytes);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_KEY_SETS_H_
