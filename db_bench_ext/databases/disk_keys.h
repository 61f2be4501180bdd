// The keys of the workload disk, and how it queries them.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_DISK_KEYS_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_DISK_KEYS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/support/keys.h"

namespace bloomline::bench::disk {

constexpr int kNumLevels = 5;  // levels 1 to 5; level 0 is empty
constexpr uint64_t kLevelSizeRatio = 10;
constexpr size_t kValueBytes = 100;

using Key = std::array<char, kDecimalBytes>;
using Value = std::array<char, kValueBytes>;

inline std::string_view AsText(const Key& key) { return {key.data(), key.size()}; }
inline std::string_view AsText(const Value& value) { return {value.data(), value.size()}; }

// The number in decimal digits, with leading zeros.
Key KeyOf(uint64_t number);
Value ValueOf(uint64_t number);

// The keys of the database: even numbers from 0 on. Every level has keys from the whole range, in a
// random choice, and no key lies in two levels.
class StoredKeys {
 public:
  // Each level has kLevelSizeRatio times as many as the one above it; num_keys in all, rounded down
  // to a multiple of 11111.
  explicit StoredKeys(uint64_t num_keys);

  uint64_t size() const { return by_rank_.size(); }
  // In ascending order. Levels count from 1.
  const std::vector<uint64_t>& NumbersOfLevel(int level) const {
    return levels_[static_cast<size_t>(level - 1)];
  }

  // The number with this rank in order of popularity, from 0 on. Ranks have nothing to do with
  // levels or with the order of the keys: popular keys lie in blocks of their own.
  uint64_t NumberOfRank(uint64_t rank) const { return 2 * uint64_t{by_rank_[rank]}; }

 private:
  std::array<std::vector<uint64_t>, kNumLevels> levels_;
  std::vector<uint32_t> by_rank_;
};

// Ranks from 0 to size - 1, with probabilities proportional to 1 / (rank + 1)^0.99, the skew of
// YCSB. Exact: a table of sums and a binary search, because <random> has no such distribution.
class Zipf {
 public:
  explicit Zipf(uint64_t size);
  uint64_t RankAt(double uniform) const;  // of a random number from [0, 1)

 private:
  std::vector<double> sums_;
};

// Which keys a stream of Gets queries.
struct Stream {
  const char* name;
  double part_missing;  // of the queries
  bool is_zipf = false;
};
constexpr Stream kMissing = {"readmissing", 1};
constexpr Stream kUniform = {"readrandom-uniform", 0};  // only warms caches up
constexpr Stream kMixedZipf = {"mixed-zipf", 0.5, true};

struct Query {
  Key key;
  bool stored;
  uint64_t number;
};

class Queries {
 public:
  explicit Queries(const StoredKeys& stored) : stored_(stored), zipf_(stored.size()) {}

  // The same arguments give the same queries. Missing keys are odd numbers, next to stored ones and
  // within the range of the stored ones.
  std::vector<Query> Make(const Stream& stream, size_t count, uint64_t seed) const;

 private:
  const StoredKeys& stored_;
  const Zipf zipf_;
};

}  // namespace bloomline::bench::disk

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_DISK_KEYS_H_
