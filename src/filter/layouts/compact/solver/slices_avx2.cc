// The compact solver with AVX2: matrices are look-up tables of half-bytes.
#if defined(__x86_64__)

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/layouts/compact/solver/bytes_avx2.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/kernel.h"

#define BLOOMLINE_SLICES_TARGET BLOOMLINE_AVX2
#include "src/filter/layouts/compact/solver/slice_solver.h"

namespace bloomline::kernels {
namespace {

// Places i of 16 whose bit is set take row `bit` in the lower lane, row 4 + bit in the upper one;
// the others take zero. A table that the compiler must not make at run time: GCC 12 at -O2 did so
// for each matrix, and the solver took 1.6 times as long.
struct PlacesOfBits {
  constexpr PlacesOfBits() {
    for (unsigned bit = 0; bit < 4; ++bit) {
      for (unsigned i = 0; i < 32; ++i) {
        from[bit][i] = static_cast<uint8_t>((i >> bit & 1) != 0 ? bit + i / 16 * 4 : 0x80);
      }
    }
  }
  alignas(32) uint8_t from[4][32] = {};
};
constexpr PlacesOfBits kPlacesOfBits;

struct Avx2 : Avx2Bytes {
  struct Slice {
    Bytes low;   // equations 0 to 63
    Bytes high;  // equations 64 to 127
  };

  // Where the eight rows of a matrix are among 64 equations: selectors for VPSHUFB, which looks up
  // within each lane of 16 bytes. Row b is the byte of equation e. Of the four lanes, number e / 16
  // has it: there e XOR 16 * lane is e % 16, in the others it is 16 to 63, and for 64, no pivot, it
  // is at least 64 in all. Adding 0x70 makes that 0x70 to 0x7F, of which VPSHUFB uses the lower
  // half, or 0x80 and more, which looks up zero.
  //
  //   in_half[0]   | lane 0: equations 0 to 15  | lane 1: 16 to 31 |   each byte b, b + 8: row b
  //   in_half[1]   | lane 2: equations 32 to 47 | lane 3: 48 to 63 |
  struct EightEquations {
    __m256i in_half[2];
  };
  BLOOMLINE_AVX2_INLINE static EightEquations EquationsAt(uint64_t equations) {
    const __m256i all = _mm256_set1_epi64x(static_cast<long long>(equations));
    EightEquations at;
    for (unsigned half = 0; half < 2; ++half) {
      const __m256i sixteens = _mm256_set_m128i(_mm_set1_epi8(static_cast<char>(32 * half + 16)),
                                                _mm_set1_epi8(static_cast<char>(32 * half)));
      at.in_half[half] = _mm256_add_epi8(_mm256_xor_si256(all, sixteens), EachByte(0x70));
    }
    return at;
  }

  // A byte times a matrix is the XOR of those rows that the byte's bits name. A look-up table has
  // all 16 sums of rows 0 to 3, another one those of rows 4 to 7:
  //
  //   product of byte 0xHL = low[L] ^ high[H]
  //
  // So two VPSHUFB multiply 32 equations' bytes. GF2P8AFFINEQB would do it in one; a kernel for
  // CPUs that have it without AVX-512 has not been tried.
  struct Matrix {
    __m256i low;
    __m256i high;
  };
  // The tables of rows 0 to 7, which both lanes begin with: sums of rows 0 to 3 are made in the
  // lower lane, those of rows 4 to 7 in the upper one, and then each is copied to both lanes, for
  // VPSHUFB.
  BLOOMLINE_AVX2_INLINE static Matrix MatrixOf(__m256i rows) {
    __m256i sums = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (const auto& from : kPlacesOfBits.from) {
      sums = _mm256_xor_si256(sums, _mm256_shuffle_epi8(rows, Load256(from)));
    }
    return {_mm256_permute2x128_si256(sums, sums, 0x00),
            _mm256_permute2x128_si256(sums, sums, 0x11)};
  }
  // The bytes of those equations, in bytes 0 to 7 (and 8 to 15) of both lanes. Each is found in one
  // of the four lanes, and is zero in the others, so all four are ORed.
  BLOOMLINE_AVX2_INLINE static __m256i RowsAt(const Bytes& slice, const EightEquations& equations) {
    const __m256i rows = _mm256_or_si256(_mm256_shuffle_epi8(slice.half[0], equations.in_half[0]),
                                         _mm256_shuffle_epi8(slice.half[1], equations.in_half[1]));
    return _mm256_or_si256(rows, _mm256_permute2x128_si256(rows, rows, 0x01));
  }
  BLOOMLINE_AVX2_INLINE static Matrix MatrixAt(const Bytes& slice,
                                               const EightEquations& equations) {
    return MatrixOf(RowsAt(slice, equations));
  }
  // For equations from 64 on: their bytes of Elimination::sums, without choosing pivots again. Row
  // b of M is the byte of slot b's pivot before the elimination, row b of S its byte of `sums`,
  // which says what is added to it. The elimination adds S M to M and makes it the identity:
  //
  //   M + S M = (I + S) M = I,   so I + S is the inverse of M
  //
  // An equation with byte v needs sums x with v + x M = 0, so x = v (I + S). Rows of slots without
  // a pivot are no part of that, so v has to have no bits of these slots.
  BLOOMLINE_AVX2_INLINE static Matrix InverseAt(const Bytes& sums, const EightEquations& pivots) {
    const __m256i identity = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
    return MatrixOf(_mm256_xor_si256(RowsAt(sums, pivots), identity));
  }
  BLOOMLINE_AVX2_INLINE static __m256i TimesMatrix(__m256i bytes, const Matrix& matrix) {
    const __m256i low = _mm256_and_si256(bytes, EachByte(15));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), EachByte(15));
    return _mm256_xor_si256(_mm256_shuffle_epi8(matrix.low, low),
                            _mm256_shuffle_epi8(matrix.high, high));
  }
  BLOOMLINE_AVX2_INLINE static Bytes TimesMatrix(Bytes bytes, const Matrix& matrix) {
    return {{TimesMatrix(bytes.half[0], matrix), TimesMatrix(bytes.half[1], matrix)}};
  }

  // Byte j: equation equations[j]'s byte. By scalar loads: AVX2 looks up in 16 bytes only.
  BLOOMLINE_AVX2_INLINE static Bytes BytesAt(const Slice& slice, const uint8_t equations[64]) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&slice);
    alignas(32) uint8_t at[64];
    for (unsigned j = 0; j < 64; ++j) at[j] = bytes[equations[j]];
    return {{Load256(at), Load256(at + 32)}};
  }

  BLOOMLINE_AVX2_INLINE static Slice SliceOf(const uint8_t bytes[128]) {
    return {{{Load256(bytes), Load256(bytes + 32)}}, {{Load256(bytes + 64), Load256(bytes + 96)}}};
  }
  BLOOMLINE_AVX2_INLINE static void StoreBytes(Bytes bytes, uint8_t to[64]) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes.half[0]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), bytes.half[1]);
  }

  // Exchanges bytes of a slice, pair by pair. Only blocks of more than 64 keys need it. A class,
  // since AVX-512 prepares a permutation once for all slices.
  class Exchange {
   public:
    BLOOMLINE_AVX2_INLINE explicit Exchange(const EquationPairs& pairs) : pairs_(pairs) {}
    BLOOMLINE_AVX2_INLINE void In(Slice* slice) const {
      auto* bytes = reinterpret_cast<uint8_t*>(slice);
      for (unsigned i = 0; i < pairs_.size; ++i) {
        const uint8_t low = bytes[pairs_.low[i]];
        bytes[pairs_.low[i]] = bytes[pairs_.high[i]];
        bytes[pairs_.high[i]] = low;
      }
    }

   private:
    const EquationPairs& pairs_;
  };
};

}  // namespace

bool Avx2SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block) {
  return SolveBySlices<Avx2>(arrangement, hashes, n, block);
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
