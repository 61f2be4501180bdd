// Builds a block of a compact filter (docs/format.md, section 3.5).
#ifndef BLOOMLINE_FILTER_WRITER_COMPACT_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_COMPACT_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/format/layout.h"
#include "src/filter/kernels/kernel.h"

namespace bloomline::filter {

// Solves a block of `shape` for n keys, header included, whatever the keys and n are. May reorder
// the hashes. More different hashes than a block can have slots (116), or no solution, give a Bloom
// block. Throws nothing.
void SolveBlock(uint64_t* hashes, size_t n, const FilterShape& shape, const kernels::Kernel& kernel,
                char* block);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_COMPACT_BUILDER_H_
