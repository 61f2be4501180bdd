// What the Ribbon solvers without GFNI share (ribbon_solve.h): an equation is 32 bytes.
//
// The step's bytes, transposed, are a word for each row with a bit for each equation. Elimination
// works on these words. An equation then takes its pivots from two tables, each with the 16 sums of
// four pivots. (A product of bytes with a matrix of bits, as with GFNI, takes more instructions:
// one for 64 bytes there is eight with AVX2, and few equations wait.)
//
// How many equations a step has cannot be foreseen. So loops do more than is needed, in pieces that
// usually suffice; equations after the last are not used.
//
// `Simd` is what an instruction set has, in addition to that of substitute.h:
//
//   Vector                                        words of 64 bits, up to 32 bytes
//   void Eliminate<W>(uint32_t n, Step<W>* step)  from the bytes of n equations, the rest of *step
//
// A .cc file defines BLOOMLINE_RIBBON_TARGET, the attribute of its functions, before this file.
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_GROUP_SOLVER_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_GROUP_SOLVER_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "src/filter/bits/bytes.h"
#include "src/filter/stock/ribbon_solve.h"
#include "src/filter/stock/ribbon_solver/substitute.h"

namespace bloomline::stock {
namespace {

// Equations of a piece.
constexpr uint32_t kPiece = 32;
constexpr uint32_t kMaxPieces = kMaxWaiting / kPiece;

// Keys that become equations at once: 16 KiB, which stay in the L1 cache. A step has at most as
// many.
constexpr uint32_t kTileKeys = 512;
static_assert(kTileKeys >= kMaxWaiting);

// A step of W pieces.
template <uint32_t W>
struct alignas(32) Step {
  uint64_t bytes[W * kPiece / 8];   // of each equation: the rows that it has
  uint8_t takes[W * kPiece];        // of each equation: the rows whose pivots it takes
  uint32_t pivot[W][kRowsPerStep];  // of each row: the bit of the pivot
};

// Transposes 8 x 8 bits in each 64 bits: byte i of the result has bit i of all bytes.
template <typename Words>
BLOOMLINE_RIBBON_INLINE Words TransposedBits(Words x) {
  Words exchanged = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
  x ^= exchanged ^ exchanged << 7;
  exchanged = (x ^ x >> 14) & 0x0000cccc0000cccc;
  x ^= exchanged ^ exchanged << 14;
  exchanged = (x ^ x >> 28) & 0x00000000f0f0f0f0;
  return x ^ exchanged ^ exchanged << 28;
}

template <typename Simd>
class GroupSolver {
 public:
  BLOOMLINE_RIBBON_TARGET GroupSolver(const RibbonGroup& group, const WaitingEquations& waiting)
      : group_(group), size_(static_cast<uint32_t>(waiting.size())), old_size_(size_) {
    for (uint32_t i = 0; i < size_; ++i) all_[i].equation = waiting[i];
    std::memset(own_rows_, 0xff, sizeof(own_rows_));
  }

  template <bool kStore>
  BLOOMLINE_RIBBON_TARGET RibbonSolved Solve(WaitingEquations* waiting, RibbonEquation* rows) {
    for (uint32_t step = 0; step < group_.num_steps(); ++step) {
      const RibbonSolved taken = TakeKeys(group_.step_end[step]);
      if (taken != RibbonSolved::kYes) return taken;
      if (size_ <= kPiece) {
        SolveStep<1, kStore>(step, rows);
      } else if (size_ <= 2 * kPiece) {
        SolveStep<2, kStore>(step, rows);
      } else {
        SolveStep<kMaxPieces, kStore>(step, rows);
      }
    }
    if (!ForgetZeros()) return RibbonSolved::kNo;
    waiting->resize(size_);
    for (uint32_t i = 0; i < size_; ++i) (*waiting)[i] = all_[i].equation;
    return RibbonSolved::kYes;
  }

 private:
  struct alignas(32) Row {
    RibbonEquation equation;
    uint64_t unused;
  };
  static constexpr uint32_t kNewAtOnce = 16;
  static constexpr uint32_t kZero = kMaxWaiting + kNewAtOnce;

  BLOOMLINE_RIBBON_INLINE static void SetSum(const Row& a, const Row& b, Row* sum) {
    using Vector = typename Simd::Vector;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < sizeof(Row) / sizeof(Vector); ++i) {
      reinterpret_cast<Vector*>(sum)[i] =
          reinterpret_cast<const Vector*>(&a)[i] ^ reinterpret_cast<const Vector*>(&b)[i];
    }
  }

  // Makes equations of the keys from key_ on, as many as a tile has.
  BLOOMLINE_RIBBON_INLINE void FillTile() {
    const uint32_t num_keys = group_.step_end[group_.num_steps() - 1];
    tile_first_ = key_;
    tile_end_ = std::min(key_ + kTileKeys, num_keys);
    for (uint32_t i = key_; i < tile_end_; ++i) {
      const uint32_t start = group_.starts[i];
      tile_[i - key_].equation = EquationOf(group_.hashes[i], group_.raw_seed, start);
      own_rows_of_tile_[i - key_] = static_cast<uint8_t>(0xffu << start % kRowsPerStep);
    }
    // TakeKeys copies these, too, and no result depends on them. But valgrind would report uses of
    // uninitialised bits: it does not see that TransposedBits only moves bits.
    std::fill_n(tile_ + (tile_end_ - key_), kNewAtOnce, Row{});
    std::fill_n(own_rows_of_tile_ + (tile_end_ - key_), kNewAtOnce, uint8_t{0});
  }

  // Appends the keys before `end`, a multiple of kNewAtOnce of them. In the byte of their first
  // step, they have only the rows from the start on.
  BLOOMLINE_RIBBON_INLINE RibbonSolved TakeKeys(uint32_t end) {
    for (uint32_t i = 0; i < num_new_; i += kNewAtOnce) {
      std::memset(own_rows_ + old_size_ + i, 0xff, kNewAtOnce);
    }
    num_new_ = end - key_;
    if (size_ + num_new_ > kMaxWaiting) {
      if (!ForgetZeros()) return RibbonSolved::kNo;
      if (size_ + num_new_ > kMaxWaiting) return RibbonSolved::kTooMany;
    }
    if (end > tile_end_) FillTile();
    const uint32_t from = key_ - tile_first_;
    old_size_ = size_;
    for (uint32_t i = 0; i < num_new_; i += kNewAtOnce) {
#pragma GCC unroll 16
      for (uint32_t j = i; j < i + kNewAtOnce; ++j)
        SetSum(tile_[from + j], all_[kZero], all_ + size_ + j);
      std::memcpy(own_rows_ + size_ + i, own_rows_of_tile_ + from + i, kNewAtOnce);
    }
    size_ += num_new_;
    key_ = end;
    return RibbonSolved::kYes;
  }

  template <uint32_t W, bool kStore>
  BLOOMLINE_RIBBON_TARGET __attribute__((noinline)) void SolveStep(uint32_t number,
                                                                   RibbonEquation* rows) {
    Step<W> step;
    TakeBytes<W>(number, &step);
    Simd::template Eliminate<W>(size_, &step);
    uint32_t pivots[kRowsPerStep];
    FindPivots<W>(step, pivots);
    CombinePivots(pivots);
    if (kStore) StorePivots<W>(step, pivots, number * kRowsPerStep, rows);
    ReduceOthers<W>(step);
  }

  template <uint32_t W>
  BLOOMLINE_RIBBON_INLINE void TakeBytes(uint32_t number, Step<W>* step) const {
    const uint32_t byte = number % 16 ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 7 : 0);
    const auto* const first = reinterpret_cast<const uint8_t*>(all_) + byte;
#pragma GCC unroll 24
    for (uint32_t i = 0; i < W * kPiece; i += 8) {
      const uint64_t own_rows =
          kernels::LoadLittleEndian64(reinterpret_cast<const char*>(own_rows_ + i));
      uint64_t bytes = 0;
#pragma GCC unroll 8
      for (uint32_t j = 0; j < 8; ++j) bytes |= uint64_t{first[(i + j) * sizeof(Row)]} << 8 * j;
      step->bytes[i / 8] = bytes & own_rows;
    }
  }

  // kZero: the row has none.
  template <uint32_t W>
  BLOOMLINE_RIBBON_INLINE static void FindPivots(const Step<W>& step,
                                                 uint32_t pivots[kRowsPerStep]) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      pivots[j] = kZero;
#pragma GCC unroll 6
      for (uint32_t w = 0; w < W; ++w) {
        const uint32_t bit = step.pivot[w][j];
        const uint32_t at = kPiece * w + static_cast<uint32_t>(__builtin_ctz(bit | 1u << 31));
        pivots[j] = bit != 0 ? at : pivots[j];
      }
    }
  }

  BLOOMLINE_RIBBON_INLINE void CombinePivots(const uint32_t pivots[kRowsPerStep]) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      Row* const sums = sums_[j / 4];
#pragma GCC unroll 8
      for (uint32_t i = 0; i < 1u << j % 4; ++i) {
        SetSum(sums[i], all_[pivots[j]], sums + i + (1u << j % 4));
      }
    }
  }

  BLOOMLINE_RIBBON_INLINE void Reduce(uint32_t takes, const Row& row, Row* reduced) const {
    Row sum;
    SetSum(sums_[0][takes & 15], sums_[1][takes >> 4], &sum);
    SetSum(row, sum, reduced);
  }

  template <uint32_t W>
  BLOOMLINE_RIBBON_INLINE void StorePivots(const Step<W>& step, const uint32_t pivots[kRowsPerStep],
                                           uint32_t first_row, RibbonEquation* rows) const {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      if (pivots[j] == kZero) {
        rows[first_row + j] = ZeroRow(first_row + j);
        continue;
      }
      Row row;
      Reduce(step.takes[pivots[j]], all_[pivots[j]], &row);
      rows[first_row + j] = row.equation;
    }
  }

  // Applies the step to the equations that are no pivots.
  template <uint32_t W>
  BLOOMLINE_RIBBON_INLINE void ReduceOthers(const Step<W>& step) {
    uint32_t pivots[W] = {};
#pragma GCC unroll 6
    for (uint32_t w = 0; w < W; ++w) {
#pragma GCC unroll 8
      for (uint32_t j = 0; j < kRowsPerStep; ++j) pivots[w] |= step.pivot[w][j];
    }
    Row* to = all_;
    for (uint32_t i = 0; i < size_; i += 8) {
      const uint32_t others = ~pivots[i / kPiece] >> i % kPiece;
#pragma GCC unroll 8
      for (uint32_t j = 0; j < 8; ++j) {
        Reduce(step.takes[i + j], all_[i + j], to);
        to += i + j < size_ ? others >> j & 1 : 0;
      }
    }
    size_ = static_cast<uint32_t>(to - all_);
  }

  // Forgets 0 = 0, as equal keys make it. Returns false if there is 0 = 1.
  bool ForgetZeros() {
    uint32_t left = 0;
    for (uint32_t i = 0; i < size_; ++i) {
      const RibbonEquation& equation = all_[i].equation;
      if (!equation.has_rows() && equation.result != 0) return false;
      all_[left] = all_[i];
      left += equation.has_rows() ? 1 : 0;
    }
    size_ = left;
    return true;
  }

  const RibbonGroup& group_;
  uint32_t key_ = 0;  // the first that has not been taken
  uint32_t size_;
  uint32_t old_size_;     // without the step's keys
  uint32_t num_new_ = 0;  // the step's keys
  Row all_[kZero + 1] = {};
  uint8_t own_rows_[kZero];
  uint32_t tile_first_ = 0;  // the keys in the tile
  uint32_t tile_end_ = 0;
  Row tile_[kTileKeys + kNewAtOnce];
  uint8_t own_rows_of_tile_[kTileKeys + kNewAtOnce];
  Row sums_[2][16] = {};  // of pivots 0 to 3, and 4 to 7
};

template <typename Simd>
BLOOMLINE_RIBBON_TARGET RibbonSolved SolveGroup(const RibbonGroup& group, WaitingEquations* waiting,
                                                RibbonEquation* rows) {
  GroupSolver<Simd> solver(group, *waiting);
  if (rows == nullptr) return solver.template Solve<false>(waiting, rows);
  return solver.template Solve<true>(waiting, rows);
}

}  // namespace
}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_GROUP_SOLVER_H_
