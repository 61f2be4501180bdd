// Which range entries suit the keys of a filter and the memory that there is for them.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_

#include <cstddef>

#include "src/filter/ranges/asked_ranges.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// The part of absent entries that a query finds in a payload of so many bits per entry. Of blocked
// payloads, and of the better of the two layouts.
double BlockedEntryRate(double bits_per_entry);
double EntryRate(double bits_per_entry, bool is_compact);

// From so many bits per entry on, a compact payload is better than a blocked one: with fewer, most
// of its blocks have no solution. Below kSmallBlocksBelowBits, blocks of 16 bytes are better than
// those of 32, of which many have no solution: at 2 bits, 0.29 of the absent entries are found
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

struct EntryChoice {
  EntryKinds kinds;
  double bits_per_entry = 0;  // of a copy
};

// Chooses the kinds that let the least part of ranges through, by a model of the ranges that scans
// ask for:
//
// - Ranges of all keys that begin with a delimited prefix, ranges of whole bytes, and ranges of
//   numbers of any size. Those of text with delimiters mostly end there.
// - A range without keys lies beside keys. The first bit that tells it from the nearest key is as
//   for the cells of its size that do have keys: of the ranges of 8 bytes a part N(6) / N(8) is
//   told apart by the first 6 bytes, where N(c) is the number of different cells of c bytes.
//
// Of all levels, entries take memory.bits_per_key. Where one level pays for another, a bit must
// gain the same in each: an entry that is in a level with a tenth of the keys costs a tenth, so it
// gets the bits that make a tenth of its errors, 3.5 more.
//
// Where counts have a sample of ranges that were asked for, these take the place of the model's.
//
// Cost: about 100 us.
EntryChoice ChooseEntries(const RangeCounts& counts, const RangeMemory& memory);

// The ranges of a sample by the places where they end; none if they are too few. Thread-safe.
RangeCounts::Sample SampleOf(const AskedRanges& asked);

// More entries per key than that are never chosen.
double MostEntriesPerKey(const RangeMemory& memory);

// The bits of `entries_per_key` given entries, copies counted.
double BitsPerEntry(double entries_per_key, const RangeMemory& memory);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
