// The Ribbon solver in plain C++ (ribbon_solve.h): the specification.
//
// The step's byte of all waiting equations, transposed, is a word for each row with a bit for each
// equation. Elimination works on these words. An equation then takes its pivots from two tables,
// each with the 16 combinations of four pivots.
#include <algorithm>

#include "src/filter/bits/bytes.h"
#include "src/filter/stock/ribbon_solve.h"
#include "src/filter/stock/ribbon_solver/solvers.h"

namespace bloomline::stock {
namespace {

constexpr uint32_t kMaxWords = WaitingEquations::kMax / 64;

// Byte i of the result has bit i of all bytes of x: transposes 8x8 bits.
uint64_t Transposed(uint64_t x) {
  uint64_t swapped = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
  x ^= swapped ^ swapped << 7;
  swapped = (x ^ x >> 14) & 0x0000cccc0000cccc;
  x ^= swapped ^ swapped << 14;
  swapped = (x ^ x >> 28) & 0x00000000f0f0f0f0;
  return x ^ swapped ^ swapped << 28;
}

// Equations, field by field: of structures, GCC would copy two fields at once, which waits for the
// stores of both and takes a third of the time.
template <uint32_t kSize>
struct Equations {
  uint64_t low[kSize];
  uint64_t high[kSize];
  uint32_t result[kSize];
};

class PortableGroup {
 public:
  PortableGroup(const RibbonGroup& group, const WaitingEquations& waiting)
      : group_(group), size_(waiting.size) {
    for (uint32_t i = 0; i < size_; ++i) Set(i, waiting.equations[i]);
  }

  RibbonSolved Solve(WaitingEquations* waiting, const RibbonRows& rows) {
    for (uint32_t row = 0; row < group_.num_rows; row += kRowsPerStep) {
      if (!TakeStep(row)) return RibbonSolved::kTooMany;
      if (size_ <= 64) {
        Eliminate<1>();
      } else {
        Eliminate<kMaxWords>();
      }
      if (rows.results != nullptr) StorePivots(row, rows);
      if (!ReduceOthers()) return RibbonSolved::kNo;
    }
    waiting->size = size_;
    for (uint32_t i = 0; i < size_; ++i) {
      waiting->equations[i] = {{all_.low[i], all_.high[i]}, all_.result[i]};
    }
    return RibbonSolved::kYes;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  void Set(uint32_t i, const RibbonEquation& equation) {
    all_.low[i] = equation.coefficients.low;
    all_.high[i] = equation.coefficients.high;
    all_.result[i] = equation.result;
  }

  // Takes the step's bytes of those that wait, and the keys that start in it: of these, only the
  // rows from the start on. Returns false if there are too many.
  bool TakeStep(uint32_t row) {
    const uint64_t* const words = row % 128 < 64 ? all_.low : all_.high;
    const uint32_t shift = row % 64;
    for (uint32_t i = 0; i < size_; i += 8) {
      uint64_t bytes = 0;
#pragma GCC unroll 8
      for (uint32_t j = 0; j < 8; ++j) bytes |= (words[i + j] >> shift & 0xff) << 8 * j;
      bytes_[i / 8] = bytes;
    }
    if (size_ % 8 != 0) bytes_[size_ / 8] &= (uint64_t{1} << 8 * (size_ % 8)) - 1;
    for (; key_ < group_.num_keys && group_.starts[key_] < row + kRowsPerStep; ++key_) {
      if (size_ == WaitingEquations::kMax) return false;
      const uint32_t start = group_.starts[key_];
      RibbonEquation equation = EquationFromStart(group_.hashes[key_], group_.raw_seed);
      equation.coefficients = AtPlaces(equation.coefficients, start);
      Set(size_, equation);
      const uint64_t own_rows = words[size_] >> shift & (0xffu & 0xffu << start % 8);
      const uint64_t earlier = size_ % 8 == 0 ? 0 : bytes_[size_ / 8];
      bytes_[size_ / 8] = earlier | own_rows << 8 * (size_ % 8);
      ++size_;
    }
    return true;
  }

  // Finds the pivots of eight rows, and which of them each equation takes: bytes_.
  template <uint32_t kWords>
  void Eliminate() {
    uint64_t has[kRowsPerStep][kWords] = {};    // equations with the row
    uint64_t takes[kRowsPerStep][kWords] = {};  // equations that take the row's pivot
    for (uint32_t i = 0; 8 * i < size_; ++i) {
      const uint64_t rows = Transposed(bytes_[i]);
#pragma GCC unroll 8
      for (uint32_t j = 0; j < kRowsPerStep; ++j) {
        has[j][i / 8] |= (rows >> 8 * j & 0xff) << 8 * (i % 8);
      }
    }
    std::fill_n(is_pivot_, kMaxWords, uint64_t{0});
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      uint32_t word = 0;
      while (word + 1 < kWords && has[j][word] == 0) ++word;
      pivots_[j] = kNone;
      if (has[j][word] == 0) continue;
      const auto bit = static_cast<uint32_t>(__builtin_ctzll(has[j][word]));
      pivots_[j] = 64 * word + bit;
      is_pivot_[word] |= uint64_t{1} << bit;
      // All with the row take the pivot, and what it took. The pivot itself has no rows then.
      std::copy_n(has[j], kWords, takes[j]);
      takes[j][word] ^= uint64_t{1} << bit;
#pragma GCC unroll 8
      for (uint32_t k = 0; k < j; ++k) AddIf(takes[k][word] >> bit, takes[j], kWords, takes[k]);
#pragma GCC unroll 8
      for (uint32_t k = j + 1; k < kRowsPerStep; ++k) {
        AddIf(has[k][word] >> bit, has[j], kWords, has[k]);
      }
    }
    for (uint32_t i = 0; 8 * i < size_; ++i) {
      uint64_t rows = 0;
#pragma GCC unroll 8
      for (uint32_t j = 0; j < kRowsPerStep; ++j) {
        rows |= (takes[j][i / 8] >> 8 * (i % 8) & 0xff) << 8 * j;
      }
      bytes_[i] = Transposed(rows);
    }
    CombinePivots();
  }

  BLOOMLINE_ALWAYS_INLINE static void AddIf(uint64_t bit, const uint64_t* words, uint32_t num_words,
                                            uint64_t* to) {
    for (uint32_t w = 0; w < num_words; ++w) to[w] ^= words[w] & -(bit & 1);
  }

  void CombinePivots() {
    for (uint32_t half = 0; half < 2; ++half) {
      Equations<16>& sums = sums_[half];
      sums.low[0] = sums.high[0] = sums.result[0] = 0;
#pragma GCC unroll 4
      for (uint32_t j = 0; j < 4; ++j) {
        const uint32_t pivot = pivots_[4 * half + j];
        const uint64_t low = pivot == kNone ? 0 : all_.low[pivot];
        const uint64_t high = pivot == kNone ? 0 : all_.high[pivot];
        const uint32_t result = pivot == kNone ? 0 : all_.result[pivot];
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 1u << j; ++i) {
          sums.low[i + (1u << j)] = sums.low[i] ^ low;
          sums.high[i + (1u << j)] = sums.high[i] ^ high;
          sums.result[i + (1u << j)] = sums.result[i] ^ result;
        }
      }
    }
  }

  RibbonEquation Reduced(uint32_t i) const {
    const uint32_t first = bytes_[i / 8] >> 8 * (i % 8) & 15;
    const uint32_t second = bytes_[i / 8] >> (8 * (i % 8) + 4) & 15;
    return {{all_.low[i] ^ sums_[0].low[first] ^ sums_[1].low[second],
             all_.high[i] ^ sums_[0].high[first] ^ sums_[1].high[second]},
            all_.result[i] ^ sums_[0].result[first] ^ sums_[1].result[second]};
  }

  void StorePivots(uint32_t row, const RibbonRows& rows) const {
    for (uint32_t r = row; r < row + kRowsPerStep; ++r) {
      RibbonEquation equation = ZeroRow(r);
      if (pivots_[r - row] != kNone) equation = Reduced(pivots_[r - row]);
      rows.coefficients[r] = equation.coefficients;
      rows.results[r] = equation.result;
    }
  }

  // Applies the step to the equations that are no pivots, and forgets 0 = 0. Returns false if there
  // is 0 = 1.
  bool ReduceOthers() {
    uint32_t num_left = 0;
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < size_; ++i) {
      const RibbonEquation equation = Reduced(i);
      const uint64_t any = equation.coefficients.low | equation.coefficients.high;
      const uint64_t is_other = ~is_pivot_[i / 64] >> i % 64 & 1;
      wrong |= any == 0 ? equation.result & -is_other : 0;
      Set(num_left, equation);
      num_left += static_cast<uint32_t>(is_other & (any != 0 ? 1 : 0));
    }
    size_ = num_left;
    return wrong == 0;
  }

  const RibbonGroup& group_;
  uint32_t key_ = 0;
  uint32_t size_;
  Equations<WaitingEquations::kMax> all_ = {};
  uint64_t bytes_[WaitingEquations::kMax / 8];  // of the step; then: the pivots that each takes
  uint32_t pivots_[kRowsPerStep];
  uint64_t is_pivot_[kMaxWords];
  Equations<16> sums_[2];
};

RibbonSolved SolveGroup(const RibbonGroup& group, WaitingEquations* waiting,
                        const RibbonRows& rows) {
  return PortableGroup(group, *waiting).Solve(waiting, rows);
}

void Substitute(const RibbonRows& rows, uint32_t num_columns, RibbonSegments* segments) {
  uint64_t* const low = segments->low;
  uint64_t* const high = segments->high;
  for (uint32_t row = RibbonShape::kRowsPerBlock; row-- != 0;) {
    const RibbonCoefficients coefficients = rows.coefficients[row];
    const uint32_t result = rows.results[row];
    uint64_t* const to = row < 64 ? low : high;
    for (uint32_t c = 0; c < num_columns; ++c) {
      // The place of the row has the row 128 later, which is in the sum as well.
      const uint64_t sum = (low[c] & coefficients.low) ^ (high[c] & coefficients.high);
      const uint64_t bit = static_cast<uint64_t>(__builtin_parityll(sum)) ^ (result >> c & 1);
      to[c] ^= bit << row % 64;
    }
  }
}

}  // namespace

// Two passes would take longer than RocksDB's builder below 150,000 keys. Up to 500,000, this keeps
// rows, in as much memory as RocksDB's.
RibbonSolver PortableRibbonSolver() { return {SolveGroup, Substitute, size_t{10} << 20}; }

}  // namespace bloomline::stock
