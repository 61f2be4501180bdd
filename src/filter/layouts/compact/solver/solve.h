// CompactKernel::solve, by words and by slices of the equations.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SOLVE_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SOLVE_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

// The specification. Also for the rare blocks that the others do not solve by slices.
bool PortableSolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

// With the same results, by slices (solver/slices.h). x86-64 only.
bool Avx2SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);
bool Avx512SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SOLVE_H_
