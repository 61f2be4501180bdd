// Options of static filters: the format, its size and its seed. Units are in the names.
//
// Link bloomline::core (CMake component `core`).
//
// Exceptions, for the whole library: functions throw nothing but std::bad_alloc, and that only if
// there is no memory. No filter lacks a key then (filter.h). A function that RocksDB or LevelDB
// calls throws nothing: without memory, the process ends, as with their own filters. C functions
// return their error (c.h). If a thread cannot be started, its work is done on the others.
#ifndef BLOOMLINE_FILTER_OPTIONS_H_
#define BLOOMLINE_FILTER_OPTIONS_H_

#include <cstdint>
#include <string>

namespace bloomline {

// How keys become bits. docs/format.md defines each format to the byte.
enum class Format {
  // LevelDB's own Bloom filter, byte for byte. For LevelDB only: take it if stock LevelDB must use
  // the filters. FilterBuilder and the RocksDB policy refuse it. Its 32-bit hash has no finaliser:
  // on structured keys (counters, zero-padded numbers), 10 to 70 % of the missing keys adjacent to
  // stored ones are false positives.
  kClassic,
  // Blocked Bloom filter (Putze, Sanders and Singler 2007) with a 64-bit hash: the k probes of a
  // key lie in one block of 64 bytes. Sets of at most 500 keys in LevelDB, 200 in RocksDB, get one
  // Bloom filter without blocks, which is smaller or more accurate at that size, but takes about
  // 2.5 times as long to query.
  kBlocked,
  // Blocks of 64 bytes (32 below 5.5 bits per key, and in some small sets of RocksDB), each solved
  // as a linear system over GF(2), as in Bloomier and Ribbon filters (Dietzfelbinger and Pagh 2008,
  // Dillinger and Walzer 2021); a query reads one block. With 7.1 bits per key it has the
  // false-positive rate of kBlocked with 10. A query takes 1.6 to 2 times as long as in kBlocked
  // for a missing key, 3 to 4 times for a stored one, building 3 to 5 times (docs/benchmarking.md).
  kCompact,
  // RocksDB's own Bloom filter, byte for byte. For RocksDB only: take it if RocksDB without
  // bloomline must use the filters. With format_version below 5 it is RocksDB's older one. 10 bits
  // per key have the false-positive rate of 10.1 in kBlocked. FilterBuilder and LevelDB refuse it.
  kBloom,
  // RocksDB's own Ribbon filter, byte for byte. As in ribbonfilter:N of RocksDB, bits_per_key is
  // that of the Bloom filter with its false-positive rate, and not its memory: 10 take about 7.1
  // bits of memory per key. Otherwise as kBloom. It takes 3 to 5 times as long to build and query.
  kRibbon,
};

// "classic", "blocked", "compact", "bloom" or "ribbon"; static storage.
const char* FormatName(Format format);

// Range of FilterOptions::bits_per_key. More than about 45 gains nothing, since k is at most 30.
// The upper end catches the size of the filter given in place of bits per key.
constexpr double kMinBitsPerKey = 1.0;
constexpr double kMaxBitsPerKey = 100.0;

// Range in kCompact. With fewer than 3 bits, a block would get more keys than it has slots; with
// more than 24, it would need longer fingerprints than a key's hash provides.
constexpr double kMinCompactBitsPerKey = 3.0;
constexpr double kMaxCompactBitsPerKey = 24.0;

// Range of k, the number of probes per key, as in LevelDB.
constexpr int kMinProbes = 1;
constexpr int kMaxProbes = 30;

struct BitsPerKeyRange {
  double min, max;
};
// The range for `format`.
BitsPerKeyRange AllowedBitsPerKey(Format format);

struct FilterOptions {
  Format format = Format::kBlocked;

  // Memory per key, in bits, trailer and rounding included; fractions count. 10 gives a
  // false-positive rate of about 1 % in kBlocked and 0.16 % in kCompact. Range: kMinBitsPerKey to
  // kMaxBitsPerKey; in kCompact, kMinCompactBitsPerKey to kMaxCompactBitsPerKey.
  double bits_per_key = 10.0;

  // Seed of the 64-bit hash. An attacker who knows it can choose keys that overfill a filter or
  // that are false positives. So use the default seed, 0, only for keys that outsiders cannot
  // choose (docs/keys.md). FilterBuilder and RocksDB record the seed in the filter.
  // LevelDB's filters have no room for it: keep it, and name the policy (leveldb.h). The hashes of
  // kClassic, kBloom and kRibbon take no seed.
  uint64_t seed = 0;

  // Each filter draws a seed of its own from the system's generator and records it; `seed` must
  // then be 0. A builder draws another one after each Finish. If the generator fails, the filter
  // matches every key, and the builder's error() gives the reason. Not available in LevelDB. Cost:
  // a system call per filter.
  bool random_seed = false;

  // Options with the least bits_per_key that reach the false-positive rate `rate` (0.01 for 1 %) in
  // `format`. If no allowed bits_per_key reaches it, or `rate` is no probability, bits_per_key is
  // NaN, which Validate refuses.
  static FilterOptions ForFalsePositiveRate(Format format, double rate);

  // Empty if the options are valid, else one sentence that names the value and the allowed range.
  // It knows no engine: kClassic is valid here, though only LevelDB takes it, and kBloom, though
  // only RocksDB does.
  std::string Validate() const;
};

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_OPTIONS_H_
