// The rows to load and the keys to query. Every order is random with a fixed seed: queries do not
// follow the order of the filters, and every run makes the same ones.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_KEY_SETS_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_KEY_SETS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace bloomline::bench {

struct KeySet {
  std::string name;               // for flags and CSV
  std::string description;        // for the report, with row counts
  std::vector<std::string> keys;  // loaded, in the order of loading
  // Missing keys adjacent to stored ones: of the same length, within the range of all keys.
  std::vector<std::string> near;
  // Missing keys elsewhere: of the same kind, from ranges (counters) or rows (paths) not loaded.
  std::vector<std::string> far;
  std::vector<std::string> values;  // of keys; empty: generated, value_bytes each
  size_t value_bytes = 0;

  std::string Value(size_t i) const;
};

// A file of real keys: "key value" or "key" in each line.
struct KeyList {
  std::string file;
  std::string title;  // where it comes from
};

// Loads at most 95 % of the list, so that far keys remain; takes at most max_missing near and
// max_missing far keys. Throws std::runtime_error if the list cannot be read or has fewer than 1000
// different keys.
KeySet PathKeys(const KeyList& list, size_t rows, size_t max_missing);

// With these values LevelDB puts 36 keys into a data block, and so into a filter. That number
// matters: LevelDB's own filter has a false-positive rate between 19 and 99 % for adjacent
// big-endian keys, depending on the number of keys, from 31 to 39.
constexpr size_t kBigEndianValueBytes = 102;
constexpr size_t kDecimalValueBytes = 100;

// Even counters without every sixth range of 256 of them (about seven data blocks). The near keys
// are odd counters between loaded ones, the far keys are even counters from the ranges left out.
KeySet BigEndianKeys(size_t rows, size_t max_missing, size_t value_bytes);
KeySet DecimalKeys(size_t rows, size_t max_missing, size_t value_bytes);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_KEY_SETS_H_
