// Keys, bits, probes <-> false-positive rate: any of them from the others. Pure functions; no
// filter is built.
//
// Symbols: n keys, m bits, c = m/n bits per key, k probes, p false-positive rate, B = 512 bits per
// line. All are thread-safe, and all but the Validate functions need no memory. "Exact" means for k
// independent uniform probes; the library's filters are within 2 % of it (tests/fpr_test.cc).
//
// What is asked for and impossible gives NaN, from functions that return bytes, bits, lines or keys
// 0: a rate not in (0, 1), k not in kMinProbes..kMaxProbes, bits per key not above 0 or out of a
// format's range, a rate out of reach. The Validate functions, and FilterOptions::Validate, say
// what is wrong in a sentence.
#ifndef BLOOMLINE_SIZING_H_
#define BLOOMLINE_SIZING_H_

#include <cstdint>
#include <string>

#include "bloomline/filter_options.h"

namespace bloomline {

// ---- The textbook's Bloom filter: any bit, any number of probes, also fractions.

// p = (1 - e^(-k/c))^k, with k/c = kn/m; any k > 0
double StandardFalsePositiveRate(double bits_per_key, double num_probes);

// The k with the lowest rate, c ln 2
double IdealNumProbes(double bits_per_key);

// The c that reaches p with that k: m/n = -ln p / (ln 2)^2
double IdealBitsPerKey(double rate);

// What no structure with this rate can go below: log2(1/p) bits per key.
double InformationLimitBitsPerKey(double rate);

// ---- Rates.

// Rate of a Bloom filter whose probes range over all its bits, for large n:
//   p = (1 - e^(-k/c))^k
// Describes kClassic where its hash behaves (random keys), and flat filters of hundreds of keys.
double StandardFalsePositiveRate(double bits_per_key, int num_probes);

// The same for n keys in m bits, exactly: X = number of set bits after n*k throws into m,
//   p = E[(X/m)^k].
// Up to n*k*m = 1e7 the distribution of X is computed (cost: that many steps); beyond, mean and
// variance of X are enough (relative error below 1e-3). No keys: 0. No bits: 1.
double ExactStandardFalsePositiveRate(uint64_t num_keys, uint64_t num_bits, int num_probes);

// Rate of a blocked filter for large n: the number of keys in a line is Poisson with mean B/c, so
//   p = sum over i of e^-l * l^i / i! * E[(X_i/B)^k],  l = B/c,  X_i as above for i keys in B bits.
// Cost: about B/c terms.
double BlockedFalsePositiveRate(double bits_per_key, int num_probes);

// The same for n keys in L lines: the load of a line is binomial(n, 1/L).
double ExactBlockedFalsePositiveRate(uint64_t num_keys, uint64_t num_lines, int num_probes);

// Rate of a blocked filter of small blocks, 64 or 128 bits in place of 512, for large n. A
// CountingBloomFilter has one: its blocks are lines of so many counters. The formulas as above with
// B = block_bits; relative error below 2e-3 up to 24 bits per key, 0.015 up to 100.
double SmallBlockFalsePositiveRate(int block_bits, double bits_per_key, int num_probes);

// The same for n keys in so many blocks.
double ExactSmallBlockFalsePositiveRate(int block_bits, uint64_t num_keys, uint64_t num_blocks,
                                   int num_probes);

// Rate of a compact filter for large n: lines have Poisson loads, and for each load the
// probabilities of what the solver ends with are those of random matrices (docs/design.md). Takes
// milliseconds.
double CompactFalsePositiveRate(double bits_per_key);

// The same for n keys in L lines of line_bytes bytes (8 to 64): the load is binomial(n, 1/L).
// base_slots as in docs/format.md: 64-byte lines with 21 or more are those of section 3.5.
double ExactCompactFalsePositiveRate(uint64_t num_keys, uint64_t num_lines, uint32_t line_bytes,
                                uint32_t base_slots);

// ---- Choices of k.

// The k that `format` writes at this bits_per_key. kBlocked: the k with the lowest
// BlockedFalsePositiveRate (less than c ln 2: cockroachdb/pebble#5632). kClassic: LevelDB's own
// rule, 0.69 c rounded down. kCompact: 0, it has no probes. Both within kMinProbes..kMaxProbes.
// bits_per_key is taken as if clamped to kMinBitsPerKey..kMaxBitsPerKey; NaN counts as
// kMinBitsPerKey. A table lookup.
int OptimalNumProbes(Format format, double bits_per_key);

// The k of a flat Bloom filter with the lowest StandardFalsePositiveRate(bits_per_key, k); about c
// ln 2.
int OptimalStandardNumProbes(double bits_per_key);

// The k with the lowest SmallBlockFalsePositiveRate. Takes 0.1 ms.
int OptimalSmallBlockNumProbes(int block_bits, double bits_per_key);

// ---- Formats: the filters that FilterBuilder makes.

// Rate of a large filter at the k that OptimalNumProbes gives. bits_per_key is clamped as there, in
// kCompact to its own range.
double FalsePositiveRate(Format format, double bits_per_key);

// Rate of the filter made for `capacity` keys when it holds num_keys: more (over-filled, where keys
// are added later), fewer or as many. It has the bytes and the k of the filter for `capacity` keys,
// whole lines and trailer counted. In kClassic this adds what the other functions leave out, the
// 32-bit hash of LevelDB: a share 1 - (1 - 2^-32)^n of the absent keys has the hash of a present
// one (2.3 % at 1e8 keys), and no bit past 2^32 is ever set. Cost in kCompact: milliseconds.
double FalsePositiveRateWithKeys(Format format, double bits_per_key, uint64_t capacity, uint64_t num_keys);

// The least bits per key in kMinBitsPerKey..kMaxBitsPerKey whose FalsePositiveRate is at most
// `rate`, to 1e-6 bits (kCompact: 1e-3, in its own range).
double BitsPerKeyForFalsePositiveRate(Format format, double rate);

// The same at a fixed k, for large n; for kClassic that is c = -k / ln(1 - p^(1/k)). NaN in
// kCompact.
double BitsPerKeyWithNumProbes(Format format, double rate, int num_probes);

// Bytes of the filter that FilterBuilder makes of n distinct keys, trailer included; 64-bit, so
// that 5e9 keys at 10 bits give 6.25e9. kClassic: bytes of the filter that LevelDB makes.
uint64_t FilterBytes(Format format, uint64_t num_keys, double bits_per_key);

// The most bits per key with which the filter of n keys takes at most filter_bytes (up to 2^60).
// More than the format's range is cut to its upper end; NaN if n is 0 or the lower end takes more.
double BitsPerKeyForFilterBytes(Format format, uint64_t num_keys, uint64_t filter_bytes);

// The most keys whose filter takes at most filter_bytes (up to 2^60) at bits_per_key; 0 if one key
// takes more. With BitsPerKeyForFalsePositiveRate it is the capacity at a rate.
uint64_t Capacity(Format format, uint64_t filter_bytes, double bits_per_key);

// ---- Bits per key of the filters in memory (bloom_filter.h, counting_bloom_filter.h) beside
// kBlocked.

// The least in kMinBitsPerKey..kMaxBitsPerKey, to 1e-6 bits, at which OptimalStandardNumProbes gives at
// most `rate`.
double StandardBitsPerKeyForFalsePositiveRate(double rate);

// The same with OptimalSmallBlockNumProbes, to 1e-3 bits (counters). Takes milliseconds.
double SmallBlockBitsPerKeyForFalsePositiveRate(int block_bits, double rate);

// ---- Finite Bloom filters at a fixed k, exactly: n keys, a whole number of bits or lines, by the
// rates above for n keys. Galloping from the rate for large n; Classic costs up to a second where
// the distribution is computed.

// The fewest bits (lines of 512 bits) in which n keys have at most `rate`. No keys: 0.
uint64_t StandardNumBits(uint64_t num_keys, double rate, int num_probes);
uint64_t BlockedNumBlocks(uint64_t num_keys, double rate, int num_probes);

// The most keys with at most `rate` in so many bits (lines).
uint64_t StandardCapacity(uint64_t num_bits, double rate, int num_probes);
uint64_t BlockedCapacity(uint64_t num_lines, double rate, int num_probes);

// ---- What else could hold the keys, to compare with. No false positives, except where stated.

// Hash table with open addressing (absl::flat_hash_set, F14, hashbrown): a power of two of slots,
// at most 7/8 full, each an entry and a control byte. entry_bytes 8 is a table of 64-bit
// fingerprints, whose rate is n / 2^64.
uint64_t HashTableBytes(uint64_t num_keys, uint64_t entry_bytes);

// std::unordered_set<std::string> of libstdc++ on 64-bit Linux, reserved for n keys: for each a
// bucket (8 bytes), a node (64 with malloc's header) and, from 16 bytes on, the key's own memory.
uint64_t UnorderedSetBytes(uint64_t num_keys, uint64_t key_bytes);

// Keys of one length side by side, n * key_bytes. The three saturate at 2^64 - 1.
uint64_t SortedArrayBytes(uint64_t num_keys, uint64_t key_bytes);

// ---- Messages: empty if the value can be used, else one sentence that names it and the allowed
// range.

std::string ValidateNumProbes(int num_probes);

// For BitsPerKeyForFalsePositiveRate(format, rate), which then gives a number.
std::string ValidateFalsePositiveRate(Format format, double rate);

}  // namespace bloomline

#endif  // BLOOMLINE_SIZING_H_
