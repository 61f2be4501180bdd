// The rows of the workload gets and the keys that it queries.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_KEY_SETS_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_KEY_SETS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace bloomline::bench {

// Every order is random with a fixed seed: queries do not follow the order of the filters, and
// every run makes the same ones.
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

// Keys of a file with "key value" or "key" in each line. Loads at most 95 % of it, so that far keys
// remain; takes at most max_missing near and max_missing far keys. Throws std::runtime_error if the
// file cannot be read or has fewer than 1000 different keys.
KeySet PathKeys(const std::string& file, const std::string& title, size_t rows, size_t max_missing);

// Even counters without every sixth range of 256 of them (about seven data blocks). The near keys
// are odd counters between loaded ones, the far keys are even counters from the ranges left out.
KeySet BigEndianKeys(size_t rows, size_t max_missing);
KeySet DecimalKeys(size_t rows, size_t max_missing);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_KEY_SETS_H_
