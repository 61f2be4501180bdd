// Chooses range entries for the keys of a filter within a given memory.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_

#include <cmath>
#include <cstddef>

#include "src/filter/ranges/kind_set.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// ---- The cost and the gain of range entries: bits, and the part of absent entries that match.

// The part of absent entries that a query finds in a payload with this many bits per entry.
// Measured with 1 to 8 bits and 1,000 to 1,000,000 entries, rates are within a tenth of these.
// Fewer entries in a Ribbon payload pay for rows that they do not fill, up to the rate of a Bloom
// filter; but a model of that made no better choice.
double EntryRate(double bits_per_entry, bool is_ribbon);

// With fewer bits, an entry rejects less than half of the ranges.
constexpr double kLeastBitsPerEntry = 1;

struct RangeMemory {
  double bits_per_key = 0;  // for entries
  bool is_last_level = true;
  // What the builder has memory for, copies counted.
  double max_entries_per_key = HUGE_VAL;
  bool is_ribbon = true;  // the layout of the payload, or blocked
};

// Returns the most entries per key that can be chosen.
double MostEntriesPerKey(const RangeMemory& memory);

// The bits of `entries_per_key` given entries, copies counted.
double BitsPerEntry(double entries_per_key, const RangeMemory& memory);

// ---- The choice.

struct EntryChoice {
  EntryKinds kinds;
  double bits_per_entry = 0;   // of a copy
  double entries_per_key = 0;  // copies counted
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
// If the counts contain a sample of queried ranges, these replace those of the model.
//
// Cost: less than 0.1 ms for a file of 500 keys of four kinds, counting and writing included (AMD
// EPYC, Zen 5).
EntryChoice ChooseEntries(const RangeCounts& counts, const RangeMemory& memory);

struct KeptKinds {
  KindSet kinds;
  double num_entries = 0;  // of these kinds so far
};

// Returns the kinds that ChooseEntries would choose by the counts so far, and others that it may
// choose when more keys are counted: those with the fewest entries, as long as all have up to
// max_entries. Most of what is left out has an entry for nearly each key, and so competes with few
// others for memory; how well it does depends on neighbouring keys, so keys so far show it.
KeptKinds KindsToKeep(const RangeCounts& counts, const RangeMemory& memory, double max_entries);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
