// Back substitution of a Ribbon filter's rows (RibbonSolver::substitute), the same code for each
// instruction set: a column in each word. `Simd` has
//
//   Columns                           words of 64 bits, or one
//   Columns SumOfBits(Columns words)  a number for each word, whose lowest bit is that of its sum
//
// A .cc file defines BLOOMLINE_RIBBON_TARGET, the attribute of its functions, before this file.
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_SUBSTITUTE_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_SUBSTITUTE_H_

#include <cstdint>

#include "src/filter/stock/ribbon_solve.h"

#define BLOOMLINE_RIBBON_INLINE BLOOMLINE_RIBBON_TARGET __attribute__((always_inline)) inline

namespace bloomline::stock {
namespace {

struct alignas(64) ColumnNumbers {
  constexpr ColumnNumbers() {
    for (uint32_t i = 0; i < RibbonShape::kMaxColumns; ++i) word[i] = i;
  }
  uint64_t word[RibbonShape::kMaxColumns] = {};
};
constexpr ColumnNumbers kColumnNumbers;

// P registers of columns, from `first` on.
template <typename Simd, uint32_t P>
BLOOMLINE_RIBBON_TARGET __attribute__((noinline)) void SubstituteColumns(const RibbonEquation* rows,
                                                                         uint32_t first,
                                                                         RibbonSegments* segments) {
  using Columns = typename Simd::Columns;
  constexpr uint32_t kWords = sizeof(Columns) / sizeof(uint64_t);
  auto* const low = reinterpret_cast<Columns*>(segments->low + first);
  auto* const high = reinterpret_cast<Columns*>(segments->high + first);
  Columns half[2][P], column[P];
#pragma GCC unroll 4
  for (uint32_t p = 0; p < P; ++p) {
    half[0][p] = low[p];
    half[1][p] = high[p];
    column[p] = *reinterpret_cast<const Columns*>(kColumnNumbers.word + first + kWords * p);
  }
#pragma GCC unroll 2
  for (int h = 1; h >= 0; --h) {
    for (uint32_t bit = 64; bit-- != 0;) {
      const RibbonEquation row = rows[64 * static_cast<uint32_t>(h) + bit];
#pragma GCC unroll 4
      for (uint32_t p = 0; p < P; ++p) {
        // The place of the row has the row 128 later, which is in the sum as well.
        const Columns result = (Columns{} + row.result) >> column[p] & 1;
        const Columns sum = (half[0][p] & row.low) ^ (half[1][p] & row.high) ^ result;
        half[h][p] ^= Simd::SumOfBits(sum) << bit & uint64_t{1} << bit;
      }
    }
  }
#pragma GCC unroll 4
  for (uint32_t p = 0; p < P; ++p) {
    low[p] = half[0][p];
    high[p] = half[1][p];
  }
}

template <typename Simd>
void Substitute(const RibbonEquation* rows, uint32_t num_columns, RibbonSegments* segments) {
  constexpr uint32_t kWords = sizeof(typename Simd::Columns) / sizeof(uint64_t);
  for (uint32_t first = 0; first < num_columns; first += 4 * kWords) {
    if (first + 2 * kWords < num_columns) {
      SubstituteColumns<Simd, 4>(rows, first, segments);
    } else if (first + kWords < num_columns) {
      SubstituteColumns<Simd, 2>(rows, first, segments);
    } else {
      SubstituteColumns<Simd, 1>(rows, first, segments);
    }
  }
}

}  // namespace
}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_SUBSTITUTE_H_
