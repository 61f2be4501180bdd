// A sample of the ranges that filters are queried for, by which builders choose range entries.
#ifndef BLOOMLINE_FILTER_RANGES_ASKED_RANGES_H_
#define BLOOMLINE_FILTER_RANGES_ASKED_RANGES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/ranges/key_interval.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// Sets *range to the place where [begin, end) ends, with a weight of 0. Returns false if no key can
// lie there. begin < end, and `begin` is not empty. The limits are those of a filter.
bool EndOfRange(const KeyLimits& limits, std::string_view begin, std::string_view end,
                RangeCounts::SampledRange* range);

// Counts the places where ranges end in a table of fixed size by Unbiased Space Saving (Ting 2018,
// Data Sketches for Disaggregated Subset Sum and Frequent Item Estimation): a place without a slot
// raises the least count c by 1, and takes its slot with probability 1 / (c + 1). The counts of any
// set of places then have the expected sum of the ranges that ended there. So a frequent place has
// its true count, and a rare place's count stands for other rare places, too.
//
// Thread-safe and lock-free; allocates nothing. If two threads change a slot at once, one of the
// ranges may be lost.
class AskedRanges {
 public:
  static constexpr size_t kNumSlots = 64;
  // When a count reaches this, all counts are halved, so that new habits prevail over old ones.
  static constexpr uint32_t kMaxCount = 1 << 20;

  // Ignores ranges that no filter rejects, empty ones and those that begin with the empty key, and
  // ranges that filters reject without entries.
  void Add(std::string_view begin, std::string_view end, const KeyLimits& limits = KeyLimits());

  // Adds the first 1,000 ranges of the process, and then about one in 16 of each thread. The steps
  // are random: with a fixed step, the sample could always meet the same range of several that take
  // turns.
  void AddSampled(std::string_view begin, std::string_view end, const KeyLimits& limits);

  // Writes up to `max` places, the most frequent first, and returns how many. Weights are counts.
  size_t Copy(RangeCounts::SampledRange* ranges, size_t max) const;

  // The sum of all counts.
  uint64_t num_ranges() const;

 private:
  // A place is looked up in the slots of one cache line.
  static constexpr size_t kBucketSlots = 8;

  void HalveCounts();

  // The count in the upper half, the place in the lower.
  alignas(64) std::atomic<uint64_t> slots_[kNumSlots] = {};
};

// Returns the places with their parts of the ranges; an empty sample if the ranges are too few.
// Thread-safe.
RangeCounts::SampledRanges SampledPlaces(const AskedRanges& asked);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_ASKED_RANGES_H_
