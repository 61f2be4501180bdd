// Compact filters: blocks that are solved as a linear system over GF(2), as in Ribbon and Bloomier
// filters, with most columns at fixed places (docs/format.md, section 3.5).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_KERNEL_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"

namespace bloomline::kernels {

// How a filter's blocks are divided: kArrangements[i] of compact_block.h, for i below this.
constexpr unsigned kNumArrangements = 7;

using CompactFilter = PayloadView;

struct CompactKernel {
  using MayMatch = bool (*)(const CompactFilter& filter, uint64_t hash);
  // Prefetches nothing, like BlockedKernel::may_match_many.
  using MayMatchMany = void (*)(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                                bool* may_match);

  // A function for each arrangement.
  MayMatch may_match[kNumArrangements] = {};
  MayMatchMany may_match_many[kNumArrangements] = {};
  // Writes the block of n hashes, 0 to kMaxCompactSlots, header included. False, and nothing
  // written: there is no solution.
  bool (*solve)(unsigned arrangement, const uint64_t* hashes, size_t n, char* block) = nullptr;
};

CompactKernel PortableCompact();
CompactKernel Avx2Compact();    // x86-64
CompactKernel Avx512Compact();  // x86-64

// CompactKernel::solve, by words and by slices of the equations.
//
// The specification. Also for the rare blocks that the others do not solve by slices.
bool PortableSolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

// With the same results, by slices (solver/slices.h). x86-64 only.
bool Avx2SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);
bool Avx512SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_KERNEL_H_
