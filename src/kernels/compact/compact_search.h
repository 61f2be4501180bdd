// Which systems a compact block's solver tries (docs/format.md, section 3.5).
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_SEARCH_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_SEARCH_H_

#include <algorithm>
#include <cstddef>

#include "src/kernels/compact/compact_block.h"

namespace bloomline::kernels {

// How the second word of an equation is divided (compact_equations.h), so that all fits, by the
// least number of slots; and the limits of the search that follow.
struct SecondWord {
  unsigned field_slots;  // slots from 64 on
  unsigned num_attempts;
  unsigned right_shift;
};

constexpr SecondWord SecondWordFor(unsigned least_slots) {
  if (least_slots <= 64) return {18, 16, 40};
  if (least_slots <= 83) return {39, 16, 57};
  if (least_slots <= 96) return {41, 16, 59};
  return {52, 4, 58};
}

constexpr bool SecondWordHasRoom(unsigned least_slots) {
  const SecondWord word = SecondWordFor(least_slots);
  const unsigned columns = kArrangements[2].payload_bits() / least_slots;
  return word.right_shift + columns <= 64 &&
         word.field_slots + word.num_attempts + kNumVariableSlots - 1 <= word.right_shift;
}
static_assert(SecondWordHasRoom(kMinCompactSlots) && SecondWordHasRoom(65) &&
              SecondWordHasRoom(84) && SecondWordHasRoom(97));

// The numbers of slots and attempts that the solver tries, in this order.
struct SearchRange {
  SearchRange(const CompactFilter& filter, size_t num_keys)
      : least_slots(std::max(static_cast<unsigned>(num_keys), filter.base_slots)),
        num_attempts(SecondWordFor(least_slots).num_attempts),
        last_slots(std::min({filter.base_slots + kNumSlotCodes - 1, kMaxCompactSlots,
                             kWordSlots + SecondWordFor(least_slots).field_slots})) {}
  unsigned least_slots;
  unsigned num_attempts;
  unsigned last_slots;
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_SEARCH_H_
