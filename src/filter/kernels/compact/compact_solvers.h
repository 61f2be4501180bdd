// CompactKernel::solve, by words and by slices of the equations.
#ifndef BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SOLVERS_H_
#define BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SOLVERS_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/kernels/compact/compact_kernel.h"

namespace bloomline::kernels {

// The specification. Also for the rare blocks that the others do not solve by slices.
bool PortableSolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

// With the same results, by slices (compact_slices.h). x86-64 only.
bool Avx2SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);
bool Avx512SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_COMPACT_COMPACT_SOLVERS_H_
