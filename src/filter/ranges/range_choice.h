// Chooses range entries for the keys of a filter within a given memory.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_

#include <array>
#include <cstddef>

#include "src/filter/ranges/choice_constants.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// ---- The cost and the gain of range entries: bits, and the part of absent entries that match.

// The part of absent entries that a query finds in a payload with this many bits per entry.
double EntryRate(double bits_per_entry, bool is_compact);

// From this many bits per entry on, a compact payload is better than a blocked one: with fewer,
// most of its blocks have no solution. Below kSmallBlocksBelowBits, blocks of 16 bytes are better
// than those of 32, many of which have no solution: at 2 bits, 0.29 of the absent entries are found
// instead of 0.39. Measured with 1,000,000 entries.
constexpr double kCompactFromBits = 1.1;
constexpr double kSmallBlocksBelowBits = 2.5;

// With fewer bits, an entry rejects hardly any range.
constexpr double kLeastBitsPerEntry = 1;

struct RangeMemory {
  double bits_per_key = 0;  // for entries: the mean of all levels
  int num_levels_below = 0;
  double level_size_ratio = 10;  // keys of a level, for each of the level above; more than 1
  std::array<double, 3> level_weights = ChoiceConstants().level_weights;
  bool is_compact = true;  // the layout of the payload
};

// The bits that entries may take for each key of this level, so that all levels together take
// memory.bits_per_key.
double BitsPerKey(const RangeMemory& memory);

// Returns the most entries per key that can be chosen.
double MostEntriesPerKey(const RangeMemory& memory);

// The bits of `entries_per_key` given entries, copies counted.
double BitsPerEntry(double entries_per_key, const RangeMemory& memory);

// ---- The choice.

struct EntryChoice {
  EntryKinds kinds;
  double bits_per_entry = 0;  // of a copy
};

// Chooses the kinds that let the least part of ranges through, by a model of the ranges that scans
// ask for:
//
// - There are ranges of all keys that begin with a delimited prefix, ranges of whole bytes, and
//   ranges of numbers of any size. Text with delimiters mostly has the first kind.
// - A range without keys lies beside keys. Suppose empty ranges were spread like keys. Then the
//   first 6 bytes would distinguish N(6) / N(8) of the 8-byte ranges, where N(c) is the number of
//   different c-byte cells. We count half of that, because an empty range often begins right behind
//   a key.
//
// If the counts have a sample of ranges that were asked for, these replace those of the model.
//
// Cost: less than 0.1 ms for a file of 500 keys of four kinds, counting and writing included (AMD
// EPYC, Zen 5).
EntryChoice ChooseEntries(const RangeCounts& counts, const RangeMemory& memory);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
