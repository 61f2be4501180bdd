// Builds the payloads of compact filters: sorts keys by block, and solves each block
// (docs/format.md, section 3.5).
#ifndef BLOOMLINE_FILTER_WRITER_COMPACT_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_COMPACT_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/format/layout.h"
#include "src/filter/kernels/kernel.h"
#include "src/filter/writer/hash_list.h"
#include "src/filter/writer/partition.h"

namespace bloomline::filter {

// Solves a block of `shape` for n keys, header included, whatever the keys and n are. May reorder
// the hashes. More different hashes than a block can have slots (116), or no solution, give a Bloom
// block. Throws nothing.
void SolveBlock(uint64_t* hashes, size_t n, const FilterShape& shape, const kernels::Kernel& kernel,
                char* block);

// Writes blocks that match every key.
void MatchAll(const FilterShape& shape, Partition blocks, char* data);

// Solves all blocks of a payload of shape.payload_bytes() > 0 bytes at `data`, for at least one
// hash. The bytes do not depend on num_threads. Throws nothing. Temporary memory: at most 32 bits
// per key beside the list. False: it could not be had, and some blocks match every key.
bool BuildCompact(const HashList& hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data);

// The same for few hashes in an array, which it may reorder. Throws bad_alloc.
void BuildCompactFromArray(uint64_t* hashes, size_t n, const FilterShape& shape,
                           const kernels::Kernel& kernel, char* data);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_COMPACT_BUILDER_H_
