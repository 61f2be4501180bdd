// False-positive rates of blocked filters with blocks of any size.
#ifndef BLOOMLINE_FILTER_SIZING_BLOCK_RATE_H_
#define BLOOMLINE_FILTER_SIZING_BLOCK_RATE_H_

#include <cstdint>

namespace bloomline::filter {

// As BlockedFalsePositiveRate in bloomline/filter_theory.h, for blocks of bits_per_block bits, of
// which the probes use usable_bits.
double BlockFalsePositiveRate(double bits_per_key, int num_probes, uint32_t bits_per_block,
                              uint32_t usable_bits);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_BLOCK_RATE_H_
