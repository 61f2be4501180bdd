#include "src/filter/ranges/range_memory.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace bloomline::filter {
namespace {

// Measured with 1,000,000 entries; in between, logarithms are interpolated.
struct MeasuredRate {
  double bits_per_entry;
  double rate;
};
constexpr MeasuredRate kCompactRates[] = {
    {1.1, 0.5704}, {1.2, 0.5002}, {1.4, 0.4269}, {2.0, 0.2899}, {2.5, 0.2106},
    {3.0, 0.1435}, {4.0, 0.0745}, {6.0, 0.0191}, {8.0, 0.0053}, {10.0, 0.0016}};

double CompactEntryRate(double bits_per_entry) {
  const MeasuredRate* next = std::begin(kCompactRates) + 1;
  while (next->bits_per_entry < bits_per_entry && next + 1 != std::end(kCompactRates)) ++next;
  const MeasuredRate& last = next[-1];
  const double slope =
      std::log(next->rate / last.rate) / (next->bits_per_entry - last.bits_per_entry);
  return last.rate * std::exp(slope * (bits_per_entry - last.bits_per_entry));
}

// The shares of the memory for the last level, the one above it, and those above that. These have
// 0.9, 0.09 and 0.01 of the keys. A bit gains the same in all levels if entries have 3.5 bits more,
// which give a tenth of the errors, in levels with a tenth of the keys. At 0.7 entries per key,
// these shares do that.
constexpr double kShares[] = {0.8, 2.2, 4.5};

}  // namespace

double BitsPerKey(const RangeMemory& memory) {
  const auto level = static_cast<size_t>(std::clamp(memory.num_levels_below, 0, 2));
  return kShares[level] * memory.bits_per_key;
}

double BlockedEntryRate(double bits_per_entry) { return std::exp2(-0.693 * bits_per_entry); }

double EntryRate(double bits_per_entry, bool is_compact) {
  return is_compact && bits_per_entry >= kCompactFromBits ? CompactEntryRate(bits_per_entry)
                                                          : BlockedEntryRate(bits_per_entry);
}

double MostEntriesPerKey(const RangeMemory& memory) {
  return BitsPerKey(memory) / kLeastBitsPerEntry;
}

double BitsPerEntry(double entries_per_key, const RangeMemory& memory) {
  return std::clamp(BitsPerKey(memory) / entries_per_key, kLeastBitsPerEntry, kMostBitsPerEntry);
}

}  // namespace bloomline::filter
