// The cost and the gain of range entries: bits, and the part of absent ones that match.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_MEMORY_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_MEMORY_H_

#include <cstddef>

namespace bloomline::filter {

// The part of absent entries that a query finds in a payload with this many bits per entry: in a
// blocked one, and in the better of the two layouts.
double BlockedEntryRate(double bits_per_entry);
double EntryRate(double bits_per_entry, bool is_compact);

// From this many bits per entry on, a compact payload is better than a blocked one: with fewer,
// most of its blocks have no solution. Below kSmallBlocksBelowBits, blocks of 16 bytes are better
// than those of 32, many of which have no solution: at 2 bits, 0.29 of the absent entries are found
// instead of 0.39. Measured with 1,000,000 entries.
constexpr double kCompactFromBits = 1.1;
constexpr double kSmallBlocksBelowBits = 2.5;

struct RangeMemory {
  double bits_per_key = 0;  // for entries: the mean of all levels
  // A level has about a tenth of the keys of the level below.
  int num_levels_below = 0;
  bool is_compact = true;  // the layout of the payload
  // If all keys have the same length: that of the part that is not the same in all, else 0. The
  // filter's keys then answer for the longest cells.
  size_t key_bits = 0;
};

// More would be too many for a filter whose keys have 10.
constexpr double kMostBitsPerEntry = 10;
// With fewer, an entry says hardly anything.
constexpr double kLeastBitsPerEntry = 1;

// The bits that entries may take for each key of this level: its share of what they take in all
// levels.
double BitsPerKey(const RangeMemory& memory);

// More entries per key than that are never chosen.
double MostEntriesPerKey(const RangeMemory& memory);

// The bits of `entries_per_key` given entries, copies counted.
double BitsPerEntry(double entries_per_key, const RangeMemory& memory);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_MEMORY_H_
