// Chooses range entries for the keys of a filter within a memory.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_

#include <cstddef>

#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"
#include "src/filter/ranges/range_memory.h"

namespace bloomline::filter {

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
// Cost: 0.2 ms for most keys, 0.6 at worst with the default memory, 3 with ten times as much.
EntryChoice ChooseEntries(const RangeCounts& counts, const RangeMemory& memory);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
