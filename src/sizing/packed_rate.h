// The false-positive rate of packed filters, from the mathematics of their solver: ranks of random
// matrices over GF(2), as in Dillinger and Walzer, "Ribbon filter", 2021.
#ifndef BLOOMLINE_SIZING_PACKED_RATE_H_
#define BLOOMLINE_SIZING_PACKED_RATE_H_

#include <cstdint>

namespace bloomline::core {

// As CompactBlockRate (compact_rate.h), for the blocks of docs/format.md, section 3.4.
double PackedBlockRate(uint64_t num_keys, uint32_t block_bytes, uint32_t base_slots);

}  // namespace bloomline::core

#endif  // BLOOMLINE_SIZING_PACKED_RATE_H_
