// What one benchmark measures: its parameters, its name, and the names of its counters; and filters
// in memory, each through its own C++ interface: bloomline's and a peer. No benchmark.h, because
// the peer is compiled with -march=native.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_CASE_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_CASE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "db_bench_ext/support/keys.h"

namespace bloomline::bench {

enum class Kind {
  kQuery,         // keys through RocksDB's FilterBitsReader
  kBuild,         // keys through RocksDB's FilterBitsBuilder
  kLevelDBQuery,  // keys through leveldb::FilterPolicy
  kLevelDBBuild,
  kMemoryQuery,  // keys through the C++ interface of a filter in memory
  kMemoryBuild,
};

enum class Mode {
  kNone,       // not a query
  kSingle,     // one key per call; calls do not depend on each other
  kBranching,  // the same, and the caller branches on each answer, as a Get does
  kBatch,      // kBatchKeys keys per call
};

constexpr int kTableBits = 10;  // bits per key of the tables

constexpr size_t kBatchKeys = 32;  // RocksDB's MultiGet passes at most this many

struct Case {
  Kind kind = Kind::kQuery;
  std::string subject;      // "blocked avx2", "Bloom native", ...
  uint64_t num_keys = 0;    // in the filter; with LevelDB in each of many filters
  int bits_per_key = 0;     // requested; Ribbon takes fewer for the same false-positive rate
  int hit_percent = 0;      // of the queries
  Mode mode = Mode::kNone;  // of the queries

  std::string Name() const;
};

inline bool operator<(const Case& a, const Case& b) {
  const auto tie = [](const Case& c) {
    return std::tie(c.kind, c.subject, c.num_keys, c.bits_per_key, c.hit_percent, c.mode);
  };
  return tie(a) < tie(b);
}

inline const char* KindName(Kind kind) {
  constexpr const char* kNames[] = {"query",         "build",        "leveldb_query",
                                    "leveldb_build", "memory_query", "memory_build"};
  return kNames[static_cast<size_t>(kind)];
}

inline const char* ModeName(Mode mode) {
  constexpr const char* kNames[] = {"", "single", "branching", "batch"};
  return kNames[static_cast<size_t>(mode)];
}

// Names of the counters that a benchmark reports besides its time.
constexpr char kFprCounter[] = "fpr";
constexpr char kLostCounter[] = "lost";
constexpr char kWrittenBitsCounter[] = "written_bits_per_key";
constexpr char kChunkNsCounter[] = "median_ns_per_key";
constexpr char kKeysCounter[] = "keys_per_iteration";

// n keys of kKeyBytes, one after another.
struct KeyArray {
  const char* bytes;
  size_t n;

  std::string_view operator[](size_t i) const { return {bytes + i * kKeyBytes, kKeyBytes}; }
};

// A caller that does one thing or another, as a Get does. To the compiler, the empty assembly code
// is work that only one of them has, so it does not compute the answer without a branch.
inline void BranchOn(bool answer, bool* result) {
  *result = false;
  if (answer) {
    __asm__ volatile("");
    *result = true;
  }
}

// One virtual call for many keys, so that a filter's own functions can be inlined into the loop.
class MemoryFilter {
 public:
  virtual ~MemoryFilter() = default;
  virtual void Add(KeyArray keys) = 0;
  virtual void Finish() = 0;
  virtual void Query(Mode mode, KeyArray keys, bool* may_match) const = 0;
  virtual size_t num_bytes() const = 0;
};

// A Filter has AddKey, Finish, MayMatch of one and of many keys, and num_bytes.
template <typename Filter>
class MemoryFilterOf final : public MemoryFilter {
 public:
  MemoryFilterOf(uint64_t num_keys, double bits_per_key) : filter_(num_keys, bits_per_key) {}

  void Add(KeyArray keys) override {
    for (size_t i = 0; i < keys.n; ++i) filter_.AddKey(keys[i]);
  }
  void Finish() override { filter_.Finish(); }
  void Query(Mode mode, KeyArray keys, bool* may_match) const override {
    if (mode == Mode::kSingle) {
      for (size_t i = 0; i < keys.n; ++i) may_match[i] = filter_.MayMatch(keys[i]);
    } else if (mode == Mode::kBranching) {
      for (size_t i = 0; i < keys.n; ++i) BranchOn(filter_.MayMatch(keys[i]), may_match + i);
    } else {
      std::string_view batch[kBatchKeys];
      for (size_t first = 0; first < keys.n; first += kBatchKeys) {
        const size_t count = std::min(kBatchKeys, keys.n - first);
        for (size_t i = 0; i < count; ++i) batch[i] = keys[first + i];
        filter_.MayMatch(count, batch, may_match + first);
      }
    }
  }
  size_t num_bytes() const override { return filter_.num_bytes(); }

 private:
  Filter filter_;
};

struct MemorySubject {
  std::string name;
  std::string kernel;  // of ours
  double bits_factor;  // of the case's bits per key
  std::function<std::unique_ptr<MemoryFilter>(uint64_t num_keys, double bits_per_key)> make;
};

template <typename Filter>
MemorySubject MemorySubjectOf(const std::string& name, const std::string& kernel,
                              double bits_factor) {
  return {name, kernel, bits_factor, [](uint64_t num_keys, double bits_per_key) {
            return std::make_unique<MemoryFilterOf<Filter>>(num_keys, bits_per_key);
          }};
}

// Ours, then the peer with the same memory and with the same rate.
std::vector<MemorySubject> MemorySubjects();

// Compiled with -march=native; hashes keys as bloomline does, by XXH3 in line.
MemorySubject SplitBlockSubject(const std::string& name, double bits_factor);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_CASE_H_
