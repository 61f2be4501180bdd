// The solver of compact lines. Kernels differ only in its inner step.
#ifndef BLOOMLINE_KERNELS_COMPACT_SOLVER_H_
#define BLOOMLINE_KERNELS_COMPACT_SOLVER_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/compact_line.h"
#include "src/kernels/kernel.h"

namespace bloomline::kernels {

// The equations of a line, one a row, in two words; aligned and padded for 8 rows at a time.
//   up to 56 slots: first = slots, second = right-hand side
//   more:           first = slots 0..55 and above them the right-hand side (at most 8 rows), second
//   = slots 56..
struct EquationRows {
  alignas(64) uint64_t first[kMaxSlots];
  alignas(64) uint64_t second[kMaxSlots];
};

// Adds row `pivot` to each later row below num_rows that has `bit` set, in its first or its second
// word. May change rows from num_rows to the next multiple of 8.
using EliminateBelow = void (*)(EquationRows* rows, size_t num_rows, size_t pivot, bool in_second,
                                uint64_t bit);

// Kernel::compact_solve, given the inner step.
int SolveCompactLine(const LineKeys& keys, unsigned slots, uint32_t line_bytes, char* line,
                     EliminateBelow eliminate_below);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_SOLVER_H_
