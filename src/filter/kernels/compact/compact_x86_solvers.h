// CompactKernel::solve for x86-64's vector instructions.
#ifndef BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_X86_SOLVERS_H_
#define BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_X86_SOLVERS_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/kernels/compact/compact_kernel.h"

namespace bloomline::kernels {

// SolveBlock. Also for the rare blocks that the others do not solve by slices.
bool Avx2SolveByWords(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

// With the same results, by slices (compact_slices.h).
bool Avx2SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);
bool Avx512SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_X86_SOLVERS_H_
