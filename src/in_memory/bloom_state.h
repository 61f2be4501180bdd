// The content of a Bloom filter: bits, their memory, and the figures beside them.
#ifndef BLOOMLINE_IN_MEMORY_BLOOM_STATE_H_
#define BLOOMLINE_IN_MEMORY_BLOOM_STATE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "src/in_memory/bloom_bits.h"
#include "src/support/filter_memory.h"

namespace bloomline::in_memory {

struct BloomState {
  BloomBits bits;
  uint64_t capacity = 0;
  uint64_t num_keys = 0;
  support::FilterMemory memory;
};

// All bits are zero. Null, with one sentence in *error unless that is null, if there is no memory.
std::unique_ptr<BloomState> NewBloomState(const BloomShape& shape, uint64_t capacity,
                                          std::string* error);

}  // namespace bloomline::in_memory

#endif  // BLOOMLINE_IN_MEMORY_BLOOM_STATE_H_
