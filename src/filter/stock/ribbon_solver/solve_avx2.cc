// The Ribbon solver with AVX2 (ribbon_solve.h): a register holds eight rows of 32 equations.
//
// The step's bytes, transposed, are a word for each row with a bit for each equation. Elimination
// takes eight short steps without branches. An equation is a register as well, and takes its pivots
// from two tables, each with the 16 sums of four pivots. A product of bytes with a matrix of bits,
// as with AVX-512, takes more instructions: one for 64 bytes there is eight here, and few equations
// wait.
#if defined(__x86_64__)

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "src/filter/cpu/avx2.h"
#include "src/filter/stock/ribbon_solve.h"
#include "src/filter/stock/ribbon_solver/solvers.h"

namespace bloomline::stock {
namespace {

constexpr uint32_t kEquationsPerRegister = 32;
constexpr uint32_t kMaxRegisters = WaitingEquations::kMax / kEquationsPerRegister;

BLOOMLINE_AVX2_INLINE __m256i Words(uint64_t word) {
  return _mm256_set1_epi64x(static_cast<int64_t>(word));
}

// ---- Eight rows of 32 equations: byte i is that of equation i, or word j is row j.

// In each 64 bits, exchanges the bits of the mask with those kDistance above them.
template <int kDistance>
BLOOMLINE_AVX2_INLINE __m256i ExchangedBits(__m256i x, uint64_t mask) {
  const __m256i changed =
      _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, kDistance)), Words(mask));
  return _mm256_xor_si256(_mm256_xor_si256(x, changed), _mm256_slli_epi64(changed, kDistance));
}

// Transposes 8 x 8 bits in each 64 bits.
BLOOMLINE_AVX2_INLINE __m256i TransposedBits(__m256i x) {
  x = ExchangedBits<7>(x, 0x00aa00aa00aa00aa);
  x = ExchangedBits<14>(x, 0x0000cccc0000cccc);
  return ExchangedBits<28>(x, 0x00000000f0f0f0f0);
}
constexpr int kExchangeMiddle = 0xd8;  // of four quarters

BLOOMLINE_AVX2_INLINE __m256i RowsOfBytes(__m256i bytes) {
  const __m256i pairs = _mm256_broadcastsi128_si256(
      _mm_set_epi8(15, 7, 14, 6, 13, 5, 12, 4, 11, 3, 10, 2, 9, 1, 8, 0));
  const __m256i words = _mm256_broadcastsi128_si256(
      _mm_set_epi8(15, 14, 7, 6, 13, 12, 5, 4, 11, 10, 3, 2, 9, 8, 1, 0));
  const __m256i of_pairs = _mm256_shuffle_epi8(TransposedBits(bytes), pairs);
  return _mm256_shuffle_epi8(_mm256_permute4x64_epi64(of_pairs, kExchangeMiddle), words);
}
BLOOMLINE_AVX2_INLINE __m256i BytesOfRows(__m256i rows) {
  const __m256i halves = _mm256_broadcastsi128_si256(
      _mm_set_epi8(15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0));
  const __m256i quarters = _mm256_broadcastsi128_si256(
      _mm_set_epi8(15, 13, 11, 9, 7, 5, 3, 1, 14, 12, 10, 8, 6, 4, 2, 0));
  const __m256i of_halves =
      _mm256_permute4x64_epi64(_mm256_shuffle_epi8(rows, halves), kExchangeMiddle);
  return TransposedBits(_mm256_shuffle_epi8(of_halves, quarters));
}

// The pivots of a step, and which of them each equation takes.
struct alignas(32) Step {
  uint8_t takes[WaitingEquations::kMax];        // of each equation, a bit for each row
  uint32_t pivot[kMaxRegisters][kRowsPerStep];  // the pivot's bit
};

// A bit for each equation of register w that exists.
BLOOMLINE_AVX2_INLINE uint32_t ExistingBits(uint32_t num_equations, uint32_t w) {
  const uint32_t left =
      std::max(num_equations, kEquationsPerRegister * w) - kEquationsPerRegister * w;
  return static_cast<uint32_t>((uint64_t{1} << std::min(left, kEquationsPerRegister)) - 1);
}

template <uint32_t W>
BLOOMLINE_AVX2_INLINE void Eliminate(const __m256i bytes[W], uint32_t num_equations, Step* step) {
  __m256i has[W];    // equations with the row
  __m256i takes[W];  // equations that take the row's pivot
  __m256i pivots[W];
  const __m256i zero = _mm256_setzero_si256();
#pragma GCC unroll 6
  for (uint32_t w = 0; w < W; ++w) {
    const __m256i exist = _mm256_set1_epi32(static_cast<int>(ExistingBits(num_equations, w)));
    has[w] = _mm256_and_si256(RowsOfBytes(bytes[w]), exist);
    takes[w] = pivots[w] = zero;
  }
  const __m256i one_row = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
#pragma GCC unroll 8
  for (uint32_t j = 0; j < kRowsPerStep; ++j) {
    const __m256i row = _mm256_set1_epi32(static_cast<int>(j));
    const __m256i is_row = _mm256_cmpeq_epi32(one_row, row);
    __m256i of_row[W], pivot[W];
    __m256i with_pivot = zero, taking_pivot = zero, is_free = _mm256_cmpeq_epi32(zero, zero);
#pragma GCC unroll 6
    for (uint32_t w = 0; w < W; ++w) {
      of_row[w] = _mm256_permutevar8x32_epi32(has[w], row);
      pivot[w] = _mm256_and_si256(of_row[w], _mm256_sub_epi32(zero, of_row[w]));
      if (W > 1) {
        pivot[w] = _mm256_and_si256(pivot[w], is_free);
        is_free = _mm256_and_si256(is_free, _mm256_cmpeq_epi32(of_row[w], zero));
      }
      with_pivot = _mm256_or_si256(with_pivot, _mm256_and_si256(has[w], pivot[w]));
      taking_pivot = _mm256_or_si256(taking_pivot, _mm256_and_si256(takes[w], pivot[w]));
    }
    // All with the row take its pivot, and what that has taken. The pivot itself has no rows then.
    const __m256i not_with_pivot = _mm256_cmpeq_epi32(with_pivot, zero);
    const __m256i not_taking_pivot = _mm256_cmpeq_epi32(taking_pivot, zero);
#pragma GCC unroll 6
    for (uint32_t w = 0; w < W; ++w) {
      const __m256i others = _mm256_xor_si256(of_row[w], pivot[w]);
      has[w] = _mm256_xor_si256(has[w], _mm256_andnot_si256(not_with_pivot, of_row[w]));
      takes[w] = _mm256_xor_si256(takes[w], _mm256_andnot_si256(not_taking_pivot, others));
      takes[w] = _mm256_or_si256(takes[w], _mm256_and_si256(others, is_row));
      pivots[w] = _mm256_or_si256(pivots[w], _mm256_and_si256(pivot[w], is_row));
    }
  }
#pragma GCC unroll 6
  for (uint32_t w = 0; w < W; ++w) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(step->takes + 32 * w), BytesOfRows(takes[w]));
    _mm256_store_si256(reinterpret_cast<__m256i*>(step->pivot[w]), pivots[w]);
  }
}

// ---- A group.

struct alignas(32) Equation {
  RibbonCoefficients coefficients;
  uint64_t result;
  uint64_t unused;
};
static_assert(sizeof(Equation) == sizeof(__m256i));

BLOOMLINE_AVX2_INLINE __m256i LoadEquation(const Equation* equation) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(equation));
}
BLOOMLINE_AVX2_INLINE void StoreEquation(__m256i value, Equation* equation) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(equation), value);
}

// Keys of a group in order, made into equations.
struct alignas(32) KeyTile {
  static constexpr uint32_t kSize = 512;
  // A solver looks at so many keys of a tile. If they start in one step, many are equal.
  static constexpr uint32_t kAhead = 64;

  // Makes the keys from `key` on.
  void Fill(const RibbonGroup& group, uint32_t key) {
    first = key;
    end = std::min(group.num_keys, key + kSize);
    for (uint32_t i = 0; i < end - first; ++i) {
      const uint32_t start = group.starts[first + i];
      const RibbonEquation equation = EquationFromStart(group.hashes[first + i], group.raw_seed);
      equations[i] = {AtPlaces(equation.coefficients, start), equation.result, 0};
      steps[i] = static_cast<uint8_t>(start / kRowsPerStep);
      earlier[i] = static_cast<uint8_t>((1u << start % kRowsPerStep) - 1);
    }
  }

  Equation equations[kSize + kAhead] = {};
  uint8_t steps[kSize + kAhead] = {};
  // The step's rows before the start: there, the equation has what belongs to rows 128 later.
  uint8_t earlier[kSize + kAhead] = {};
  uint32_t first = 0;
  uint32_t end = 0;
};
static_assert(kGroupRows / kRowsPerStep <= 256, "steps are bytes");

// How many equations a step has cannot be foreseen. So loops do more than is needed, in pieces that
// usually suffice; equations behind the last are not used.
class Avx2Group {
 public:
  Avx2Group(const RibbonGroup& group, const WaitingEquations& waiting)
      : group_(group), size_(waiting.size) {
    for (uint32_t i = 0; i < size_; ++i)
      all_[i] = {waiting.equations[i].coefficients, waiting.equations[i].result, 0};
  }

  template <bool kStore>
  BLOOMLINE_AVX2 RibbonSolved Solve(WaitingEquations* waiting, const RibbonRows& rows) {
    for (uint32_t row = 0; row < group_.num_rows; row += kRowsPerStep) {
      const RibbonSolved taken = TakeKeys(row / kRowsPerStep);
      if (taken != RibbonSolved::kYes) return taken;
      if (size_ <= 32) {
        SolveStep<1, kStore>(row, rows);
      } else if (size_ <= 64) {
        SolveStep<2, kStore>(row, rows);
      } else {
        SolveStep<kMaxRegisters, kStore>(row, rows);
      }
    }
    if (!ForgetZeros()) return RibbonSolved::kNo;
    waiting->size = size_;
    for (uint32_t i = 0; i < size_; ++i)
      waiting->equations[i] = {all_[i].coefficients, static_cast<uint32_t>(all_[i].result)};
    return RibbonSolved::kYes;
  }

 private:
  static constexpr uint32_t kZero = WaitingEquations::kMax + KeyTile::kAhead;

  // Appends the keys that start in the step.
  BLOOMLINE_AVX2_INLINE RibbonSolved TakeKeys(uint32_t step) {
    if (tile_.end - key_ < KeyTile::kAhead && tile_.end < group_.num_keys) tile_.Fill(group_, key_);
    const uint32_t from = key_ - tile_.first;
    const __m256i each = _mm256_set1_epi8(static_cast<char>(step));
    const auto in_step = [](const uint8_t* steps, __m256i each_byte) BLOOMLINE_AVX2 {
      return static_cast<uint32_t>(
          _mm256_movemask_epi8(_mm256_cmpeq_epi8(kernels::Load256(steps), each_byte)));
    };
    const uint64_t starting =
        in_step(tile_.steps + from, each) | uint64_t{in_step(tile_.steps + from + 32, each)} << 32;
    const auto num_first = static_cast<uint32_t>(_tzcnt_u64(~starting));  // kAhead: all
    num_new_ = std::min(num_first, tile_.end - key_);
    if (num_new_ == KeyTile::kAhead) return RibbonSolved::kTooMany;
    if (size_ + num_new_ > WaitingEquations::kMax) {
      if (!ForgetZeros()) return RibbonSolved::kNo;
      if (size_ + num_new_ > WaitingEquations::kMax) return RibbonSolved::kTooMany;
    }
    for (uint32_t i = 0; i < num_new_; i += 16) {
#pragma GCC unroll 16
      for (uint32_t j = i; j < i + 16; ++j)
        StoreEquation(LoadEquation(tile_.equations + from + j), all_ + size_ + j);
    }
    size_ += num_new_;
    key_ += num_new_;
    return RibbonSolved::kYes;
  }

  // The step's bytes of all equations. Those of new keys have only the rows from the start on.
  template <uint32_t W>
  BLOOMLINE_AVX2_INLINE void TakeBytes(uint32_t row, __m256i bytes[W]) const {
    const auto* const first = reinterpret_cast<const uint8_t*>(all_) + row % 128 / 8;
    const auto eight = [first](uint32_t i) {
      uint64_t sum = 0;
#pragma GCC unroll 8
      for (uint32_t j = 0; j < 8; ++j) sum |= uint64_t{first[(i + j) * sizeof(Equation)]} << 8 * j;
      return static_cast<int64_t>(sum);
    };
    const uint32_t num_old = size_ - num_new_;
    const uint8_t* const earlier = tile_.earlier + (key_ - num_new_ - tile_.first);
    const __m256i count = _mm256_set_epi64x(0x1f1e1d1c1b1a1918, 0x1716151413121110,
                                            0x0f0e0d0c0b0a0908, 0x0706050403020100);
#pragma GCC unroll 6
    for (uint32_t w = 0; w < W; ++w) {
      bytes[w] = _mm256_set_epi64x(eight(32 * w + 24), eight(32 * w + 16), eight(32 * w + 8),
                                   eight(32 * w));
      for (uint32_t i = 0; i < num_new_; i += 16) {
        // VPSHUFB looks up a key for 0x70 to 0x7f, and zero for 0x80 and more.
        const __m256i key =
            _mm256_sub_epi8(count, _mm256_set1_epi8(static_cast<char>(num_old + i - 32 * w)));
        const __m256i masks = _mm256_broadcastsi128_si256(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(earlier + i)));
        bytes[w] = _mm256_andnot_si256(
            _mm256_shuffle_epi8(masks, _mm256_adds_epu8(key, _mm256_set1_epi8(0x70))), bytes[w]);
      }
    }
  }

  template <uint32_t W, bool kStore>
  BLOOMLINE_AVX2 __attribute__((noinline)) void SolveStep(uint32_t row, const RibbonRows& rows) {
    __m256i bytes[W];
    TakeBytes<W>(row, bytes);
    Step step;
    Eliminate<W>(bytes, size_, &step);
    uint32_t pivots[kRowsPerStep];
    FindPivots<W>(step, pivots);
    CombinePivots(pivots);
    if (kStore) StorePivots(step, pivots, row, rows);
    ReduceOthers<W>(step);
  }

  // kZero: the row has none.
  template <uint32_t W>
  BLOOMLINE_AVX2_INLINE static void FindPivots(const Step& step, uint32_t pivots[kRowsPerStep]) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      pivots[j] = kZero;
#pragma GCC unroll 6
      for (uint32_t w = 0; w < W; ++w) {
        const uint32_t bit = step.pivot[w][j];
        const uint32_t at = 32 * w + static_cast<uint32_t>(_tzcnt_u32(bit));
        pivots[j] = bit != 0 ? at : pivots[j];
      }
    }
  }

  BLOOMLINE_AVX2_INLINE void CombinePivots(const uint32_t pivots[kRowsPerStep]) {
#pragma GCC unroll 2
    for (uint32_t half = 0; half < 2; ++half) {
      __m256i sums[16] = {_mm256_setzero_si256()};
#pragma GCC unroll 4
      for (uint32_t j = 0; j < 4; ++j) {
        const __m256i pivot = LoadEquation(all_ + pivots[4 * half + j]);
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 1u << j; ++i) {
          sums[i + (1u << j)] = _mm256_xor_si256(sums[i], pivot);
          StoreEquation(sums[i + (1u << j)], sums_[half] + i + (1u << j));
        }
      }
    }
  }

  BLOOMLINE_AVX2_INLINE __m256i Reduced(const Step& step, uint32_t i) const {
    const uint32_t takes = step.takes[i];
    return _mm256_xor_si256(LoadEquation(all_ + i),
                            _mm256_xor_si256(LoadEquation(sums_[0] + (takes & 15)),
                                             LoadEquation(sums_[1] + (takes >> 4))));
  }

  BLOOMLINE_AVX2_INLINE void StorePivots(const Step& step, const uint32_t pivots[kRowsPerStep],
                                         uint32_t row, const RibbonRows& rows) const {
#pragma GCC unroll 8
    for (uint32_t r = row; r < row + kRowsPerStep; ++r) {
      if (pivots[r - row] == kZero) {
        rows.coefficients[r] = ZeroRow(r).coefficients;
        rows.results[r] = 0;
        continue;
      }
      const __m256i equation = Reduced(step, pivots[r - row]);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(rows.coefficients + r),
                       _mm256_castsi256_si128(equation));
      rows.results[r] =
          static_cast<uint32_t>(_mm_cvtsi128_si32(_mm256_extracti128_si256(equation, 1)));
    }
  }

  // Applies the step to the equations that are no pivots.
  template <uint32_t W>
  BLOOMLINE_AVX2_INLINE void ReduceOthers(const Step& step) {
    uint32_t are_others[W];
#pragma GCC unroll 6
    for (uint32_t w = 0; w < W; ++w) {
      are_others[w] = ExistingBits(size_, w);
#pragma GCC unroll 8
      for (uint32_t j = 0; j < kRowsPerStep; ++j) are_others[w] &= ~step.pivot[w][j];
    }
    Equation* to = all_;
    for (uint32_t i = 0; i < size_; i += 8) {
      const uint32_t others = are_others[i / 32] >> i % 32;
#pragma GCC unroll 8
      for (uint32_t j = 0; j < 8; ++j) {
        StoreEquation(Reduced(step, i + j), to);
        to += others >> j & 1;
      }
    }
    size_ = static_cast<uint32_t>(to - all_);
  }

  // Forgets 0 = 0, as equal keys make it. Returns false if there is 0 = 1.
  bool ForgetZeros() {
    uint32_t left = 0;
    for (uint32_t i = 0; i < size_; ++i) {
      const bool is_zero = (all_[i].coefficients.low | all_[i].coefficients.high) == 0;
      if (is_zero && all_[i].result != 0) return false;
      all_[left] = all_[i];
      left += is_zero ? 0 : 1;
    }
    size_ = left;
    return true;
  }

  const RibbonGroup& group_;
  uint32_t key_ = 0;  // the first that has not been taken
  uint32_t num_new_ = 0;
  uint32_t size_;
  Equation all_[kZero + 1] = {};
  Equation sums_[2][16] = {};  // of pivots 0 to 3, and 4 to 7
  KeyTile tile_;
};

BLOOMLINE_AVX2 RibbonSolved SolveGroup(const RibbonGroup& group, WaitingEquations* waiting,
                                       const RibbonRows& rows) {
  Avx2Group solver(group, *waiting);
  if (rows.results == nullptr) return solver.Solve<false>(waiting, rows);
  return solver.Solve<true>(waiting, rows);
}

// ---- Substitution: a column in each lane.

BLOOMLINE_AVX2_INLINE __m256i Parities(__m256i words) {
  const __m256i nibbles =
      _mm256_broadcastsi128_si256(_mm_set_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
  const __m256i folded =
      _mm256_and_si256(_mm256_xor_si256(words, _mm256_srli_epi64(words, 4)), _mm256_set1_epi8(15));
  return _mm256_sad_epu8(_mm256_shuffle_epi8(nibbles, folded), _mm256_setzero_si256());
}

template <uint32_t P>
BLOOMLINE_AVX2 __attribute__((noinline)) void SubstituteColumns(const RibbonRows& rows,
                                                                uint32_t first,
                                                                RibbonSegments* segments) {
  __m256i half[2][P], column[P];
#pragma GCC unroll 4
  for (uint32_t p = 0; p < P; ++p) {
    half[0][p] = _mm256_load_si256(reinterpret_cast<const __m256i*>(segments->low + first + 4 * p));
    half[1][p] =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(segments->high + first + 4 * p));
    column[p] = _mm256_add_epi64(_mm256_set_epi64x(3, 2, 1, 0), Words(first + 4 * p));
  }
#pragma GCC unroll 2
  for (int h = 1; h >= 0; --h) {
    for (uint32_t row = 64; row-- != 0;) {
      const uint32_t r = 64 * static_cast<uint32_t>(h) + row;
      const __m256i of_low = Words(rows.coefficients[r].low),
                    of_high = Words(rows.coefficients[r].high);
      const __m256i result = Words(rows.results[r]);
      const __m128i by = _mm_cvtsi32_si128(static_cast<int>(row));
#pragma GCC unroll 4
      for (uint32_t p = 0; p < P; ++p) {
        // The place of the row has the row 128 later, which is in the sum as well.
        const __m256i sum = _mm256_xor_si256(_mm256_and_si256(half[0][p], of_low),
                                             _mm256_and_si256(half[1][p], of_high));
        const __m256i bit = _mm256_and_si256(
            _mm256_xor_si256(Parities(sum), _mm256_srlv_epi64(result, column[p])), Words(1));
        half[h][p] = _mm256_xor_si256(half[h][p], _mm256_sll_epi64(bit, by));
      }
    }
  }
#pragma GCC unroll 4
  for (uint32_t p = 0; p < P; ++p) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(segments->low + first + 4 * p), half[0][p]);
    _mm256_store_si256(reinterpret_cast<__m256i*>(segments->high + first + 4 * p), half[1][p]);
  }
}

BLOOMLINE_AVX2 void Substitute(const RibbonRows& rows, uint32_t num_columns,
                               RibbonSegments* segments) {
  uint32_t first = 0;
  for (; first + 4 < num_columns; first += 8) SubstituteColumns<2>(rows, first, segments);
  if (first < num_columns) SubstituteColumns<1>(rows, first, segments);
}

}  // namespace

RibbonSolver Avx2RibbonSolver() { return {SolveGroup, Substitute, size_t{1} << 20}; }

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
