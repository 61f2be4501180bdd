#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "db_bench_ext/disk/disk.h"

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

StoredKeys::StoredKeys(uint64_t keys_of_top_level) {
  std::array<uint64_t, kNumLevels> sizes;
  uint64_t size = 0, of_level = keys_of_top_level;
  for (uint64_t& keys : sizes) {
    size += keys = of_level;
    of_level *= kLevelSizeRatio;
  }
  by_rank_ = Permutation(size, 2);
  const std::vector<uint32_t> order = Permutation(size, 1);
  auto next = order.begin();
  for (size_t level = 0; level < kNumLevels; ++level) {
    for (uint64_t i = 0; i < sizes[level]; ++i) levels_[level].push_back(2 * uint64_t{*next++});
    std::sort(levels_[level].begin(), levels_[level].end());
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

std::vector<Query> Queries::Make(const Workload& workload, size_t count, uint64_t seed) const {
  std::mt19937_64 random(seed);
  std::vector<Query> queries;
  queries.reserve(count);
  while (queries.size() < count) {
    Query query;
    query.stored = Uniform(&random) >= workload.part_missing;
    if (query.stored) {
      query.number = stored_.NumberOfRank(workload.is_zipf ? zipf_.RankAt(Uniform(&random))
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
