// Filters in memory, each through its own C++ interface: bloomline's and its peers.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_MEMORY_FILTER_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_MEMORY_FILTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/filters/case.h"

namespace bloomline::bench {

// n keys of key_bytes bytes, one after another.
struct KeyArray {
  const char* bytes;
  size_t key_bytes;
  size_t n;

  std::string_view operator[](size_t i) const { return {bytes + i * key_bytes, key_bytes}; }
};

// One virtual call for many keys, so that a filter's own functions can be inlined into the loop.
class MemoryFilter {
 public:
  virtual ~MemoryFilter() = default;
  virtual void Add(KeyArray keys) = 0;
  virtual void Finish() = 0;
  virtual void Query(KeyArray keys, bool* may_match) const = 0;
  virtual void QueryInBatches(KeyArray keys, bool* may_match) const = 0;
  virtual size_t num_bytes() const = 0;
};

// A Filter has AddKey, Finish, MayMatch of one and of many keys, and num_bytes.
template <typename Filter>
class MemoryFilterOf final : public MemoryFilter {
 public:
  MemoryFilterOf(uint64_t num_keys, int bits_per_key) : filter_(num_keys, bits_per_key) {}

  void Add(KeyArray keys) override {
    for (size_t i = 0; i < keys.n; ++i) filter_.AddKey(keys[i]);
  }
  void Finish() override { filter_.Finish(); }
  void Query(KeyArray keys, bool* may_match) const override {
    for (size_t i = 0; i < keys.n; ++i) may_match[i] = filter_.MayMatch(keys[i]);
  }
  void QueryInBatches(KeyArray keys, bool* may_match) const override {
    std::string_view batch[kBatchKeys];
    for (size_t first = 0; first < keys.n; first += kBatchKeys) {
      const size_t count = std::min(kBatchKeys, keys.n - first);
      for (size_t i = 0; i < count; ++i) batch[i] = keys[first + i];
      filter_.MayMatch(count, batch, may_match + first);
    }
  }
  size_t num_bytes() const override { return filter_.num_bytes(); }

 private:
  Filter filter_;
};

struct MemorySubject {
  std::string name;
  std::function<std::unique_ptr<MemoryFilter>(uint64_t num_keys, int bits_per_key)> make;
};

template <typename Filter>
MemorySubject MemorySubjectOf(const std::string& name) {
  return {name, [](uint64_t num_keys, int bits_per_key) {
            return std::make_unique<MemoryFilterOf<Filter>>(num_keys, bits_per_key);
          }};
}

// Ours, then the peers.
std::vector<MemorySubject> MemorySubjects();

// The peers are compiled with -march=native and hash keys as bloomline does, by XXH3 in line.
std::vector<MemorySubject> SplitBlockSubjects();
std::vector<MemorySubject> BoostSubjects();
// A line of text if there is no BoostSubjects, and why.
std::string BoostNote();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_MEMORY_FILTER_H_
