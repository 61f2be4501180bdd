// Which range entries suit the keys of a filter and the memory that there is for them.
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
// - Ranges of all keys that begin with a delimited prefix, ranges of whole bytes, and ranges of
//   numbers of any size. Those of text with delimiters mostly end there.
// - A range without keys lies beside keys. If it lay anywhere, the first bit that tells it from the
//   nearest key would be as for the cells of its size that do have keys: of the ranges of 8 bytes a
//   part N(6) / N(8) would be told apart by the first 6 bytes, where N(c) is the number of
//   different cells of c bytes. Half of that counts, because what is missing is often the next
//   number.
//
// Where counts have a sample of ranges that were asked for, these take the place of the model's.
//
// Cost: 0.2 ms for most keys, 0.6 at worst with the default memory, 3 with ten times as much.
EntryChoice ChooseEntries(const RangeCounts& counts, const RangeMemory& memory);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
