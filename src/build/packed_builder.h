// Builds the payloads of packed filters (docs/format.md, section 3.4): solves each block.
#ifndef BLOOMLINE_BUILD_PACKED_BUILDER_H_
#define BLOOMLINE_BUILD_PACKED_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "src/format/layout.h"
#include "src/kernels/kernel.h"

namespace bloomline::core {

// Makes `block` one that matches every key.
void PackedMatchAll(const FilterShape& shape, char* block);

// Solves a block of `shape` for n keys, header included, whatever the keys and n are. May reorder
// the hashes. More than 112 different hashes give a block that matches every key. Throws nothing.
void SolvePackedBlock(uint64_t* hashes, size_t n, const FilterShape& shape,
                      const kernels::Kernel& kernel, char* block);

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_PACKED_BUILDER_H_
