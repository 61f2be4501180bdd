// Options of static filters. Link bloomline::core.
//
// Exceptions, in the whole library: functions throw only std::bad_alloc; no filter then lacks a
// key. Where RocksDB or LevelDB calls the library, missing memory ends the process, as with their
// own filters. If a thread cannot be started, the others do its work.
#ifndef BLOOMLINE_FILTER_OPTIONS_H_
#define BLOOMLINE_FILTER_OPTIONS_H_

#include <cstdint>
#include <string>

namespace bloomline {

// docs/format.md defines each format to the byte.
enum class Format {
  // LevelDB's own Bloom filter, byte for byte, for LevelDB only, which can use it without
  // bloomline. On structured keys, such as counters, it lets 10 to 70 % of the missing keys
  // adjacent to stored ones through (docs/leveldb.md).
  kClassic,
  // Blocked Bloom filter (Putze, Sanders and Singler 2007) with a 64-bit hash: the k probes of a
  // key lie in one block of 64 bytes. Filters of up to 500 keys in LevelDB, 200 in RocksDB, have no
  // blocks; queries take 2.5 times as long.
  kBlocked,
  // Blocks solved as linear systems over GF(2), as in Bloomier and Ribbon filters (Dietzfelbinger
  // and Pagh 2008, Dillinger and Walzer 2021). 7.1 bits per key have the false-positive rate of 10
  // in kBlocked. Queries take 1.6 to 4 times as long, building 3 to 5 times.
  kCompact,
  // RocksDB's own Bloom filter (its older one with format_version below 5), byte for byte, for
  // RocksDB only, which can use it without bloomline.
  kBloom,
  // RocksDB's own Ribbon filter, otherwise as kBloom. bits_per_key is the N of ribbonfilter:N:
  // the bits of an equally accurate Bloom filter. 10 takes about 7.1, and queries 3 to 5 times as
  // long.
  kRibbon,
};

// "classic", "blocked", "compact", "bloom" or "ribbon"; static storage.
const char* FormatName(Format format);

// Above 45 nothing is gained: k is at most 30.
constexpr double kMinBitsPerKey = 1.0;
constexpr double kMaxBitsPerKey = 100.0;

// In kCompact: blocks have too few slots below, hashes too few bits above.
constexpr double kMinCompactBitsPerKey = 3.0;
constexpr double kMaxCompactBitsPerKey = 24.0;

// Probes per key, k, as in LevelDB.
constexpr int kMinProbes = 1;
constexpr int kMaxProbes = 30;

struct BitsPerKeyRange {
  double min, max;
};
BitsPerKeyRange AllowedBitsPerKey(Format format);

struct FilterOptions {
  Format format = Format::kBlocked;

  // Memory per key, in bits, trailer and rounding included. 10 gives a false-positive rate of about
  // 1 % in kBlocked and 0.16 % in kCompact. Range: AllowedBitsPerKey(format).
  double bits_per_key = 10.0;

  // Seed of the 64-bit hash: seed.h. The filter records it, except in LevelDB (leveldb.h).
  // kClassic, kBloom and kRibbon have none.
  uint64_t seed = 0;

  // Each filter draws and records its own seed, with a system call; `seed` must be 0. If that
  // fails, the filter matches every key (FilterBuilder::error). Not in LevelDB.
  bool random_seed = false;

  // The least bits_per_key that reach the false-positive rate (0.01 for 1 %), or NaN, which
  // Validate refuses.
  static FilterOptions ForFalsePositiveRate(Format format, double rate);

  // Empty if valid, else one sentence. Does not check whether an engine takes the format.
  std::string Validate() const;
};

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_OPTIONS_H_
