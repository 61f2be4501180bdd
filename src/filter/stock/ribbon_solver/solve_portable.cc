// The Ribbon solver in plain C++: the specification.
#include <algorithm>

#include "src/filter/bits/bytes.h"

#define BLOOMLINE_RIBBON_TARGET
#include "src/filter/stock/ribbon_solve.h"
#include "src/filter/stock/ribbon_solver/group_solver.h"
#include "src/filter/stock/ribbon_solver/solvers.h"

namespace bloomline::stock {
namespace {

struct PortableSimd {
  using Vector = uint64_t __attribute__((vector_size(16)));
  using Columns = uint64_t;

  static Columns SumOfBits(Columns word) { return static_cast<uint64_t>(__builtin_parityll(word)); }

  template <uint32_t W>
  static void Eliminate(uint32_t n, Step<W>* step) {
    uint32_t has[kRowsPerStep][W] = {};    // equations with the row
    uint32_t takes[kRowsPerStep][W] = {};  // equations that take the row's pivot
    for (uint32_t i = 0; 8 * i < n; ++i) {
      const uint64_t left = n - 8 * i < 8 ? (uint64_t{1} << 8 * (n - 8 * i)) - 1 : ~uint64_t{0};
      const uint64_t rows = TransposedBits(step->bytes[i] & left);
#pragma GCC unroll 8
      for (uint32_t j = 0; j < kRowsPerStep; ++j) {
        has[j][i / 4] |= static_cast<uint32_t>(rows >> 8 * j & 0xff) << 8 * (i % 4);
      }
    }
    std::memset(step->pivot, 0, sizeof(step->pivot));
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      uint32_t w = 0;
      while (w + 1 < W && has[j][w] == 0) ++w;
      if (has[j][w] == 0) continue;
      const auto bit = static_cast<uint32_t>(__builtin_ctz(has[j][w]));
      step->pivot[w][j] = 1u << bit;
      // All with the row take the pivot, and what it took. The pivot itself has no rows then.
      std::copy_n(has[j], W, takes[j]);
      takes[j][w] ^= 1u << bit;
#pragma GCC unroll 8
      for (uint32_t k = 0; k < j; ++k) AddIf<W>(takes[k][w] >> bit, takes[j], takes[k]);
#pragma GCC unroll 8
      for (uint32_t k = j + 1; k < kRowsPerStep; ++k) AddIf<W>(has[k][w] >> bit, has[j], has[k]);
    }
    for (uint32_t i = 0; 8 * i < n; ++i) {
      uint64_t rows = 0;
#pragma GCC unroll 8
      for (uint32_t j = 0; j < kRowsPerStep; ++j) {
        rows |= uint64_t{takes[j][i / 4] >> 8 * (i % 4) & 0xff} << 8 * j;
      }
      kernels::StoreLittleEndian64(TransposedBits(rows),
                                   reinterpret_cast<char*>(step->takes + 8 * i));
    }
  }

  template <uint32_t W>
  BLOOMLINE_ALWAYS_INLINE static void AddIf(uint32_t bit, const uint32_t* words, uint32_t* to) {
#pragma GCC unroll 6
    for (uint32_t w = 0; w < W; ++w) to[w] ^= words[w] & -(bit & 1);
  }
};

}  // namespace

// Two passes would take longer than RocksDB's builder below 150,000 keys. Up to 500,000, this keeps
// rows, in as much memory as RocksDB's.
RibbonSolver PortableRibbonSolver() {
  return {SolveGroup<PortableSimd>, Substitute<PortableSimd>, size_t{1} << 19};
}

}  // namespace bloomline::stock
