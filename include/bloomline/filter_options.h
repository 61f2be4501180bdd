// Options of static filters.
//
// All functions of the library throw only std::bad_alloc, and then no filter lacks a key. If an
// engine calls the library, lack of memory ends the process, as with its own filters.
#ifndef BLOOMLINE_FILTER_OPTIONS_H_
#define BLOOMLINE_FILTER_OPTIONS_H_

#include <cstdint>
#include <string>

#include "bloomline/cpp17.h"

namespace bloomline {

// docs/format.md defines each format to the byte.
enum class Format {
  // LevelDB's own Bloom filter, byte for byte, which LevelDB can use without bloomline; only for
  // LevelDB. With counters as keys, up to 92 % of the missing keys adjacent to stored ones match
  // (docs/leveldb.md).
  kClassic,
  // Blocked Bloom filter (Putze et al. 2007) with a 64-bit hash: the k probes of a key lie in one
  // 64-byte block. Small filters in engines have no blocks; their queries take 2.5 times as long.
  kBlocked,
  // LevelDB's small sets, solved as linear systems over GF(2), as in Bloomier and Ribbon filters
  // (Dietzfelbinger and Pagh 2008, Dillinger and Walzer 2021); only for LevelDB. At 10 bits per
  // key, about 0.1 % of the missing keys match. Sets of more than about 1,000 keys get kBlocked.
  kCompact,
  // RocksDB's own Bloom filter (the older one with format_version below 5), byte for byte. Only for
  // RocksDB, which can use it without bloomline.
  kBloom,
  // Ribbon filter (Dillinger and Walzer 2021). At 7.1 bits per key, it has the false-positive rate
  // of kBlocked at 10; queries take 2 to 3 times as long, and building 4 to 7 times. It is
  // - a static filter, whose bits_per_key is memory, with a seed, and
  // - RocksDB's own Ribbon filter, byte for byte, which RocksDB can use without bloomline. There
  //   bits_per_key is the N of ribbonfilter:N, the bits of an equally accurate Bloom filter: 10
  //   takes about 7.1 bits.
  kRibbon,
};

// Returns "classic", "blocked", "compact", "bloom" or "ribbon", in static storage.
const char* FormatName(Format format);

// Values above 45 do not help.
constexpr double kMinBitsPerKey = 1.0;
constexpr double kMaxBitsPerKey = 100.0;

// Limits in kCompact.
constexpr double kMinCompactBitsPerKey = 3.0;
constexpr double kMaxCompactBitsPerKey = 24.0;

// Probes per key, k.
constexpr int kMinProbes = 1;
constexpr int kMaxProbes = 30;

struct BitsPerKeyRange {
  double min, max;
};
BitsPerKeyRange AllowedBitsPerKey(Format format);

struct FilterOptions {
  Format format = Format::kBlocked;

  // Memory per key in bits, including trailer and rounding. 10 gives a false-positive rate of about
  // 1 % in kBlocked, and 0.14 % in kRibbon, which uses at most 34. Range:
  // AllowedBitsPerKey(format).
  double bits_per_key = 10.0;

  // Seed of the 64-bit hash (seed.h). The filter records it, except in LevelDB (leveldb.h).
  // kClassic and RocksDB's own filters have none.
  uint64_t seed = 0;

  // Each filter draws its own seed and records it; `seed` must be 0. If drawing fails, the filter
  // matches every key (FilterBuilder::error). Not available in LevelDB.
  bool random_seed = false;

  // Returns options with the fewest bits_per_key that reach the false-positive rate (0.01 for 1 %).
  // If none do, bits_per_key is NaN, which Validate refuses. kRibbon filters of fewer than 5,000
  // keys have a higher rate (sizing.h).
  static FilterOptions ForFalsePositiveRate(Format format, double rate);

  // Returns "" or an error message. Does not check whether an engine accepts the format.
  std::string Validate() const;
};

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_OPTIONS_H_
