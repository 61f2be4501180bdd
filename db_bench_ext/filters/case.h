// What one benchmark measures: its parameters, its name, and the names of its counters.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_CASE_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_CASE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace bloomline::bench {

enum class Kind {
  kQuery,         // keys through RocksDB's FilterBitsReader
  kBuild,         // keys through RocksDB's FilterBitsBuilder
  kHashQuery,     // hashes, without keys and virtual calls; or raw loads of cache lines
  kLevelDBQuery,  // keys through leveldb::FilterPolicy
  kLevelDBBuild,
  kMemoryQuery,  // keys through the C++ interface of a filter in memory
  kMemoryBuild,
  kNothing,  // an empty timed section: the cost of the clock itself
};

enum class Mode {
  kNone,       // not a query
  kSingle,     // one key per call; calls do not depend on each other
  kBatch,      // kBatchKeys keys per call
  kDependent,  // one key per call; the address of each key depends on the answer before
};

constexpr int kTableBits = 10;  // bits per key of the tables

constexpr size_t kBatchKeys = 32;  // RocksDB's MultiGet passes at most this many

struct Case {
  Kind kind = Kind::kNothing;
  std::string subject;      // "blocked avx2", "Bloom native", ...
  uint64_t num_keys = 0;    // in the filter; with LevelDB in each of many filters
  int bits_per_key = 0;     // requested; Ribbon takes fewer for the same false-positive rate
  int hit_percent = 0;      // of the queries
  Mode mode = Mode::kNone;  // of the queries
  int offset = 0;           // of the filter's first byte from a 64-byte boundary
  int threads = 1;

  std::string Name() const;
};

inline bool operator<(const Case& a, const Case& b) {
  const auto tie = [](const Case& c) {
    return std::tie(c.kind, c.subject, c.num_keys, c.bits_per_key, c.hit_percent, c.mode, c.offset,
                    c.threads);
  };
  return tie(a) < tie(b);
}

inline const char* KindName(Kind kind) {
  constexpr const char* kNames[] = {"query",         "build",         "hash_query",
                                    "leveldb_query", "leveldb_build", "memory_query",
                                    "memory_build",  "nothing"};
  return kNames[static_cast<size_t>(kind)];
}

inline const char* ModeName(Mode mode) {
  constexpr const char* kNames[] = {"", "single", "batch", "dependent"};
  return kNames[static_cast<size_t>(mode)];
}

// Names of the counters that a benchmark reports besides its time.
constexpr char kFprCounter[] = "fpr";
constexpr char kLostCounter[] = "lost";
constexpr char kWrittenBitsCounter[] = "written_bits_per_key";
constexpr char kFinishCounter[] = "finish_ns_per_key";
constexpr char kKeysCounter[] = "keys_per_iteration";

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_CASE_H_
