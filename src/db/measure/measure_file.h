// The false-positive rate that a table's filters really have: queries of keys that are known to be
// missing, because the table's keys beside them were read.
#ifndef BLOOMLINE_DB_MEASURE_MEASURE_FILE_H_
#define BLOOMLINE_DB_MEASURE_MEASURE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/shared/progress.h"
#include "src/db/sstable/table.h"
#include "src/db/table_filters.h"

namespace bloomline::db {

// Queries of missing keys and false positives.
struct Queries {
  uint64_t queries = 0;
  uint64_t matches = 0;

  void Add(bool match) {
    ++queries;
    if (match) ++matches;
  }
  double rate() const;  // NaN without queries
};

struct MeasureResult {
  Queries adjacent;        // of missing keys adjacent to stored ones
  Queries elsewhere;       // of missing keys elsewhere
  uint64_t keys_read = 0;  // different ones; prefixes if the filters hold nothing else
  bool of_prefixes = false;
  bool whole_file = true;     // else some blocks were skipped
  uint64_t no_neighbour = 0;  // stored keys with no missing key of the same length behind them
  std::string not_measured;   // why; empty: it was
};

struct MeasureOptions {
  uint64_t samples = 100000;
  uint64_t seed = 1;
};

// `num_keys` of the table, 0 if unknown, decides how much of it is read: about options.samples
// keys. Memory: options.samples keys, one filter, one data block.
bool MeasureFile(const sstable::Table& table, uint64_t num_keys, const MeasureOptions& options,
                 cli::FileProgress* progress, MeasureResult* result, std::string* error);

// ---- Keys of tables, and keys like them that may be missing.

// splitmix64: fast, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }

 private:
  uint64_t state_;
};

// A key as long as `low` that is above it and below `high` as bytes: one number, digit or byte
// higher. False: there is none. low < high.
bool Neighbour(std::string_view low, std::string_view high, std::string* key);

// Some 60 keys of a table, in stretches of 8 spread over it, without timestamps. False with *error:
// damaged.
bool SampleKeys(const sstable::Table& table, std::vector<std::string>* keys, std::string* error);

uint64_t MeanBytes(const std::vector<std::string>& keys);

// About options.samples random keys, or prefixes, that look like the sampled ones: half of them lie
// between those, the others before or behind most. Most are missing in the table.
std::vector<std::string> MissingCandidates(const FilterKeys& keys, const MeasureOptions& options,
                                           const std::vector<std::string>& stored);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_MEASURE_MEASURE_FILE_H_
