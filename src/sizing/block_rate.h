// False-positive rates of blocked filters with blocks of any size.
#ifndef BLOOMLINE_SIZING_BLOCK_RATE_H_
#define BLOOMLINE_SIZING_BLOCK_RATE_H_

#include <cstdint>

namespace bloomline::core {

// As BlockedFalsePositiveRate(bits_per_key, num_probes) of bloomline/filter_theory.h, for blocks of
// bits_per_block bits, of which probes use usable_bits.
double BlockFalsePositiveRate(double bits_per_key, int num_probes, uint32_t bits_per_block,
                              uint32_t usable_bits);

}  // namespace bloomline::core

#endif  // BLOOMLINE_SIZING_BLOCK_RATE_H_
