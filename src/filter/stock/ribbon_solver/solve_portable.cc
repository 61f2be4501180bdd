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
constexpr uint32_t kRowsPerStep = 8;

// Byte i of the result has bit i of all bytes of x: transposes 8x8 bits.
uint64_t Transposed(uint64_t x) {
  uint64_t swapped = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
  x ^= swapped ^ swapped << 7;
  swapped = (x ^ x >> 14) & 0x0000cccc0000cccc;
  x ^= swapped ^ swapped << 14;
  swapped = (x ^ x >> 28) & 0x00000000f0f0f0f0;
  return x ^ swapped ^ swapped << 28;
}

void AddTo(RibbonEquation* sum, const RibbonEquation& other) {
  sum->coefficients.low ^= other.coefficients.low;
  sum->coefficients.high ^= other.coefficients.high;
  sum->result ^= other.result;
}

// The equations that wait, and those of a step that start in it.
class PortableGroup {
 public:
  PortableGroup(const RibbonGroup& group, const WaitingEquations& waiting)
      : group_(group), size_(waiting.size) {
    std::copy_n(waiting.equations, waiting.size, equations_);
  }

  RibbonSolved Solve(WaitingEquations* waiting, const RibbonRows& rows) {
    for (uint32_t row = 0; row < group_.num_rows; row += kRowsPerStep) {
      if (!AddStarting(row)) return RibbonSolved::kTooMany;
      if (size_ <= 64) {
        Eliminate<1>();
      } else {
        Eliminate<kMaxWords>();
      }
      if (rows.results != nullptr) StorePivots(row, rows);
      if (!ReduceOthers()) return RibbonSolved::kNo;
    }
    waiting->size = size_;
    std::copy_n(equations_, size_, waiting->equations);
    return RibbonSolved::kYes;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Takes the step's bytes, and the keys that start in it: of these, only the rows from the start
  // on. Returns false if there are too many.
  bool AddStarting(uint32_t row) {
    const uint32_t byte = row / 8 % 16;
    const uint32_t shift = 8 * (byte % 8);
    for (uint32_t i = 0; i < size_; ++i) {
      const RibbonCoefficients& c = equations_[i].coefficients;
      bytes_[i] = static_cast<uint8_t>((byte < 8 ? c.low : c.high) >> shift);
    }
    for (; key_ < group_.num_keys && group_.starts[key_] < row + kRowsPerStep; ++key_) {
      if (size_ == WaitingEquations::kMax) return false;
      const uint32_t start = group_.starts[key_];
      RibbonEquation equation = EquationFromStart(group_.hashes[key_], group_.raw_seed);
      equation.coefficients = AtPlaces(equation.coefficients, start);
      const RibbonCoefficients& c = equation.coefficients;
      const uint64_t bits = (byte < 8 ? c.low : c.high) >> shift;
      bytes_[size_] = static_cast<uint8_t>(bits & (0xffu << start % 8));
      equations_[size_++] = equation;
    }
    // Bytes behind the last are of no equation.
    std::fill_n(bytes_ + size_, (64 - size_ % 64) % 64, uint8_t{0});
    return true;
  }

  // Finds the pivots of eight rows: pivots_, and which of them each equation takes: bytes_.
  template <uint32_t kWords>
  void Eliminate() {
    uint64_t has[kRowsPerStep][kWords] = {};    // equations with the row
    uint64_t takes[kRowsPerStep][kWords] = {};  // equations that take the row's pivot
    for (uint32_t i = 0; i < 8 * kWords && 8 * i < size_; ++i) {
      const uint64_t words =
          Transposed(kernels::LoadLittleEndian64(reinterpret_cast<const char*>(bytes_) + 8 * i));
      for (uint32_t j = 0; j < kRowsPerStep; ++j) {
        has[j][i / 8] |= (words >> 8 * j & 0xff) << 8 * (i % 8);
      }
    }
    for (uint32_t w = 0; w < kWords; ++w) pivoted_[w] = 0;
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      uint32_t word = 0;
      while (word + 1 < kWords && has[j][word] == 0) ++word;
      const uint64_t bits = has[j][word];
      pivots_[j] = kNone;
      if (bits == 0) continue;
      const auto bit = static_cast<uint32_t>(__builtin_ctzll(bits));
      pivots_[j] = 64 * word + bit;
      pivoted_[word] |= uint64_t{1} << bit;
      // All with the row take the pivot, and what it took. It takes itself in later rows, so that
      // it has none of them.
      for (uint32_t k = 0; k < kRowsPerStep; ++k) {
        uint64_t* const of_row = k < j ? takes[k] : has[k];
        if (k == j) continue;
        const uint64_t all = -(of_row[word] >> bit & 1);
        for (uint32_t w = 0; w < kWords; ++w) {
          uint64_t change = has[j][w] & all;
          if (k < j && w == word) change &= ~(uint64_t{1} << bit);
          of_row[w] ^= change;
        }
      }
      for (uint32_t w = 0; w < kWords; ++w) takes[j][w] = has[j][w];
      takes[j][word] ^= uint64_t{1} << bit;
    }
    for (uint32_t i = 0; i < 8 * kWords && 8 * i < size_; ++i) {
      uint64_t words = 0;
      for (uint32_t j = 0; j < kRowsPerStep; ++j) {
        words |= (takes[j][i / 8] >> 8 * (i % 8) & 0xff) << 8 * j;
      }
      kernels::StoreLittleEndian64(Transposed(words), reinterpret_cast<char*>(bytes_) + 8 * i);
    }
    CombinePivots();
  }

  void CombinePivots() {
    for (uint32_t half = 0; half < 2; ++half) {
      RibbonEquation* const sums = sums_[half];
      sums[0] = {};
      for (uint32_t j = 0; j < 4; ++j) {
        const uint32_t pivot = pivots_[4 * half + j];
        const RibbonEquation of_row = pivot == kNone ? RibbonEquation() : equations_[pivot];
        for (uint32_t i = 0; i < 1u << j; ++i) {
          sums[i + (1u << j)] = sums[i];
          AddTo(&sums[i + (1u << j)], of_row);
        }
      }
    }
  }

  RibbonEquation Reduced(uint32_t i) const {
    RibbonEquation equation = equations_[i];
    AddTo(&equation, sums_[0][bytes_[i] & 15]);
    AddTo(&equation, sums_[1][bytes_[i] >> 4]);
    return equation;
  }

  void StorePivots(uint32_t row, const RibbonRows& rows) const {
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      RibbonEquation equation = {};
      if (pivots_[j] != kNone) {
        equation = Reduced(pivots_[j]);
      } else {
        const uint64_t bit = uint64_t{1} << (row + j) % 64;
        ((row + j) % 128 < 64 ? equation.coefficients.low : equation.coefficients.high) = bit;
      }
      rows.coefficients[row + j] = equation.coefficients;
      rows.results[row + j] = equation.result;
    }
  }

  // Applies the step to the equations that are no pivots, and forgets 0 = 0. Returns false if there
  // is 0 = 1.
  bool ReduceOthers() {
    uint32_t num_left = 0;
    bool is_wrong = false;
    for (uint32_t i = 0; i < size_; ++i) {
      const RibbonEquation equation = Reduced(i);
      const bool is_zero = (equation.coefficients.low | equation.coefficients.high) == 0;
      const bool is_pivot = (pivoted_[i / 64] >> i % 64 & 1) != 0;
      is_wrong |= is_zero && !is_pivot && equation.result != 0;
      equations_[num_left] = equation;
      num_left += is_zero || is_pivot ? 0 : 1;
    }
    size_ = num_left;
    return !is_wrong;
  }

  const RibbonGroup& group_;
  uint32_t key_ = 0;
  uint32_t size_;
  RibbonEquation equations_[WaitingEquations::kMax];
  uint8_t bytes_[WaitingEquations::kMax + 64];
  uint32_t pivots_[kRowsPerStep];
  uint64_t pivoted_[kMaxWords];
  RibbonEquation sums_[2][16];
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

RibbonSolver PortableRibbonSolver() { return {SolveGroup, Substitute, size_t{10} << 20}; }

}  // namespace bloomline::stock
