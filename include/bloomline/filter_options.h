// What a user tunes about a filter. Units are in the names.
//
// Out of memory, for the whole library: no function throws, and no key is lost. What cannot be done
// fails as its comment says, with the object as it was; a filter that cannot be built as it should
// be matches more keys, and the builder's error() says so. Where even the sentence of an error or
// of a Validate function cannot be had, it is "out of memory", which needs none. A thread that
// cannot be started is done without.
#ifndef BLOOMLINE_FILTER_OPTIONS_H_
#define BLOOMLINE_FILTER_OPTIONS_H_

#include <cstdint>
#include <string>

namespace bloomline {

// How keys become bits. docs/format.md defines each one to the byte.
enum class Format {
  // LevelDB's own Bloom filter, byte for byte. A 32-bit hash without a finaliser: on structured
  // keys (counters, zero-padded numbers) it lets through 10-80 % of absent neighbours. Written only
  // on request.
  kClassic,
  // Bloom filter whose k probes for a key all lie in one 64-byte line; 64-bit hash. In LevelDB,
  // sets of at most 500 keys take a flat layout instead, which is smaller and more accurate at that
  // size.
  kBlocked,
  // Solved lines: a key reads one line of 64 bytes (32 below 6.4 bits per key), which holds the
  // solution of a linear system instead of set bits. Needs 7.1 bits per key for what kBlocked needs
  // 10 for. A query costs about 1.7 times as much, building about 5 times (docs/benchmarking.md).
  // bits_per_key is 3 to 24.
  kCompact,
};

// "classic", "blocked" or "compact"; static storage.
const char* FormatName(Format format);

// Allowed range of FilterOptions::bits_per_key. The upper end is far past use (k is at most 30, so
// nothing is gained beyond about 45); it catches a total mistaken for a per-key figure.
constexpr double kMinBitsPerKey = 1.0;
constexpr double kMaxBitsPerKey = 100.0;

// The range in kCompact: below, a line holds more keys than it can have slots; above, more rows
// than fingerprints.
constexpr double kMinCompactBitsPerKey = 3.0;
constexpr double kMaxCompactBitsPerKey = 24.0;

// Limits of k, the number of probes; LevelDB's format sets them.
constexpr int kMinProbes = 1;
constexpr int kMaxProbes = 30;

struct BitsPerKeyRange {
  double min, max;
};
BitsPerKeyRange AllowedBitsPerKey(Format format);

struct FilterOptions {
  Format format = Format::kBlocked;

  // Memory really paid per key, in bits, in every format; fractions count (9.9 is not 9).
  // 10 gives about 1 % false positives in kBlocked, 0.16 % in kCompact. Range: kMinBitsPerKey to
  // kMaxBitsPerKey, in kCompact kMinCompactBitsPerKey to kMaxCompactBitsPerKey.
  double bits_per_key = 10.0;

  // Seed of the 64-bit hash. Who knows it can choose keys that overfill a filter or that match it;
  // 0, which everybody knows, is for keys that no outsider chooses (docs/chosen_keys.md). Recorded
  // in the filter (RocksDB, FilterBuilder); in LevelDB, whose filters have no room for it, the
  // caller keeps it and names the policy (leveldb.h). kClassic, whose hash takes none, ignores it.
  uint64_t seed = 0;

  // Each filter draws a seed of its own from the system's generator and records it; `seed` is then
  // 0. One builder draws again after each Finish. If the generator fails, the filter matches
  // everything and the builder's error() says why. Not in LevelDB and not in kClassic. Cost: a
  // system call for each filter, nothing for each key.
  bool random_seed = false;

  // The least bits_per_key that reaches `rate` (a probability, e.g. 0.01) in `format`. A rate that
  // no allowed bits_per_key reaches, or that is no probability, gives bits_per_key = NaN, which
  // Validate refuses.
  static FilterOptions ForFalsePositiveRate(Format format, double rate);

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_OPTIONS_H_
