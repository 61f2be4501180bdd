// The operations that the sliced solver (slices.h) needs of an instruction set, in plain C++. This
// is the specification of Avx2Simd (slices_avx2.cc) and Avx512Simd (slices_avx512.cc), which have
// the same functions. No kernel uses it: plain C++ solves whole equations faster
// (solve_portable.cc).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SIMD_PORTABLE_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SIMD_PORTABLE_H_

#include <array>
#include <cstdint>
#include <utility>

#include "src/filter/layouts/compact/solver/slices.h"

namespace bloomline::kernels {
namespace {

struct PortableSimd {
  using Bytes = std::array<uint8_t, 64>;  // a byte of each of 64 equations
  using Matrix = std::array<uint8_t, 8>;  // 8 x 8 bits, by rows
  using Equations = uint64_t;             // eight of 0 to 63; 64 is none

  static Bytes Xor(Bytes a, const Bytes& b);                    // each byte ^ the other's
  static Bytes And(Bytes bytes, unsigned byte);                 // each byte & byte
  static uint64_t BitMask(const Bytes& bytes, unsigned b);      // bit i is bit b of byte i
  static void BitMasks(const Bytes& bytes, uint64_t masks[8]);  // masks[b] is BitMask(bytes, b)
  static Bytes OfBitMasks(const uint64_t masks[8]);             // the reverse
  // Bit i: (byte i + added) % 256 < limit, for a limit of 1 to 255.
  static uint64_t SumsBelow(const Bytes& bytes, unsigned added, unsigned limit);

  static Equations EquationsOf(uint64_t pivots);  // of EightPivots::equations
  static Matrix MatrixOf(uint64_t rows);          // row b is byte b
  // Row b is the byte of equation b, or 0 if it is none, XOR byte b of `added`.
  static Matrix MatrixAt(const Bytes& bytes, Equations equations, uint64_t added);
  // Each byte becomes the XOR of the rows that its bits name.
  static Bytes TimesMatrix(const Bytes& bytes, const Matrix& matrix);

  static Bytes BytesAt(const Slice<PortableSimd>& slice,
                       const uint8_t at[64]);  // byte i is byte at[i]
  static void Exchange(const EquationPairs& pairs,
                       Slice<PortableSimd>* slice);              // the bytes of each pair
  static void Transpose(const uint64_t words[64], Bytes to[8]);  // byte b of word i to byte i of b
};

inline PortableSimd::Bytes PortableSimd::Xor(Bytes a, const Bytes& b) {
  for (unsigned i = 0; i < 64; ++i) a[i] ^= b[i];
  return a;
}
inline PortableSimd::Bytes PortableSimd::And(Bytes bytes, unsigned byte) {
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(b & byte);
  return bytes;
}

inline uint64_t PortableSimd::BitMask(const Bytes& bytes, unsigned b) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < 64; ++i) mask |= (uint64_t{bytes[i]} >> b & 1) << i;
  return mask;
}
inline void PortableSimd::BitMasks(const Bytes& bytes, uint64_t masks[8]) {
  for (unsigned b = 0; b < 8; ++b) masks[b] = BitMask(bytes, b);
}
inline PortableSimd::Bytes PortableSimd::OfBitMasks(const uint64_t masks[8]) {
  Bytes bytes = {};
  for (unsigned i = 0; i < 64; ++i) {
    for (unsigned b = 0; b < 8; ++b) {
      bytes[i] = static_cast<uint8_t>(bytes[i] | (masks[b] >> i & 1) << b);
    }
  }
  return bytes;
}
inline uint64_t PortableSimd::SumsBelow(const Bytes& bytes, unsigned added, unsigned limit) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < 64; ++i) {
    mask |= uint64_t{static_cast<uint8_t>(bytes[i] + added) < limit} << i;
  }
  return mask;
}

inline PortableSimd::Equations PortableSimd::EquationsOf(uint64_t pivots) { return pivots; }
inline PortableSimd::Matrix PortableSimd::MatrixOf(uint64_t rows) {
  Matrix matrix;
  for (unsigned b = 0; b < 8; ++b) matrix[b] = static_cast<uint8_t>(rows >> 8 * b);
  return matrix;
}
inline PortableSimd::Matrix PortableSimd::MatrixAt(const Bytes& bytes, Equations equations,
                                                   uint64_t added) {
  Matrix matrix = MatrixOf(added);
  for (unsigned b = 0; b < 8; ++b) {
    const uint64_t equation = equations >> 8 * b & 0xFF;
    if (equation < 64) matrix[b] ^= bytes[equation];
  }
  return matrix;
}
inline PortableSimd::Bytes PortableSimd::TimesMatrix(const Bytes& bytes, const Matrix& matrix) {
  Bytes product = {};
  for (unsigned i = 0; i < 64; ++i) {
    for (unsigned b = 0; b < 8; ++b) {
      if ((bytes[i] >> b & 1) != 0) product[i] ^= matrix[b];
    }
  }
  return product;
}

inline PortableSimd::Bytes PortableSimd::BytesAt(const Slice<PortableSimd>& slice,
                                                 const uint8_t at[64]) {
  Bytes bytes;
  for (unsigned i = 0; i < 64; ++i)
    bytes[i] = at[i] < 64 ? slice.low[at[i]] : slice.high[at[i] - 64u];
  return bytes;
}
inline void PortableSimd::Exchange(const EquationPairs& pairs, Slice<PortableSimd>* slice) {
  for (unsigned i = 0; i < pairs.size; ++i) {
    std::swap(slice->low[pairs.low[i]], slice->high[pairs.high[i] - 64u]);
  }
}
inline void PortableSimd::Transpose(const uint64_t words[64], Bytes to[8]) {
  for (unsigned i = 0; i < 64; ++i) {
    for (unsigned b = 0; b < 8; ++b) to[b][i] = static_cast<uint8_t>(words[i] >> 8 * b);
  }
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SIMD_PORTABLE_H_
