// The false-positive rate of compact filters, from the mathematics of the solver.
#ifndef BLOOMLINE_SIZING_COMPACT_RATE_H_
#define BLOOMLINE_SIZING_COMPACT_RATE_H_

#include <cstdint>

namespace bloomline::core {

// Rate of an absent key whose line holds num_keys keys: over the attempts (slots, seed) in the
// writer's order,
//   sum of P(all before failed, this one succeeds) * 2^-r * (1 - T / 512),
// where P comes from the ranks of random matrices; 1 where no attempt succeeds. Lines of 64 bytes
// and base_slots from 21 on are those of docs/format.md, section 3.5.
double CompactLineRate(uint64_t num_keys, uint32_t line_bytes, uint32_t base_slots);

}  // namespace bloomline::core

#endif  // BLOOMLINE_SIZING_COMPACT_RATE_H_
