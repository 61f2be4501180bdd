#include "db_bench_ext/databases/disk_keys.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace bloomline::bench::disk {
namespace {

std::vector<uint32_t> Permutation(uint64_t size, uint64_t seed) {
  std::vector<uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), std::mt19937_64(seed));
  return all;
}

double Uniform(std::mt19937_64* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

}  // namespace

Key KeyOf(uint64_t number) {
  Key key;
  WriteDecimal(number, key.data());
  return key;
}

Value ValueOf(uint64_t number) {
  Value value;
  WriteValue(number, kValueBytes, value.data());
  return value;
}

StoredKeys::StoredKeys(uint64_t num_keys) {
  constexpr uint64_t kPerKeyOfTopLevel = 11111;  // 1 + 10 + ... + 10^4
  const uint64_t keys_of_top_level = num_keys / kPerKeyOfTopLevel;
  const uint64_t size = keys_of_top_level * kPerKeyOfTopLevel;
  by_rank_ = Permutation(size, 2);
  const std::vector<uint32_t> order = Permutation(size, 1);
  auto next = order.begin();
  uint64_t of_level = keys_of_top_level;
  for (std::vector<uint64_t>& level : levels_) {
    for (uint64_t i = 0; i < of_level; ++i) level.push_back(2 * uint64_t{*next++});
    std::sort(level.begin(), level.end());
    of_level *= kLevelSizeRatio;
  }
}

Zipf::Zipf(uint64_t size) {
  constexpr double kSkew = 0.99;
  double sum = 0;
  sums_.reserve(size);
  for (uint64_t rank = 0; rank < size; ++rank) {
    sum += std::pow(static_cast<double>(rank + 1), -kSkew);
    sums_.push_back(sum);
  }
}

uint64_t Zipf::RankAt(double uniform) const {
  const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, uniform * sums_.back());
  return static_cast<uint64_t>(found - sums_.begin());
}

std::vector<Query> Queries::Make(const Stream& stream, size_t count, uint64_t seed) const {
  std::mt19937_64 random(seed);
  std::vector<Query> queries;
  queries.reserve(count);
  while (queries.size() < count) {
    Query query;
    query.stored = Uniform(&random) >= stream.part_missing;
    if (query.stored) {
      query.number = stored_.NumberOfRank(stream.is_zipf ? zipf_.RankAt(Uniform(&random))
                                                         : random() % stored_.size());
    } else {
      query.number = 2 * (random() % (stored_.size() - 1)) + 1;
    }
    query.key = KeyOf(query.number);
    queries.push_back(query);
  }
  return queries;
}

}  // namespace bloomline::bench::disk
