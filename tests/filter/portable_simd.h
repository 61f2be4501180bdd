// What the sliced solver of compact blocks needs of an instruction set (slices.h), in plain C++:
// the specification of Avx2Simd and Avx512Simd. No kernel uses it, because plain C++ solves whole
// equations faster (solve_portable.cc).
#ifndef BLOOMLINE_TESTS_FILTER_PORTABLE_SIMD_H_
#define BLOOMLINE_TESTS_FILTER_PORTABLE_SIMD_H_

#include <array>
#include <cstdint>
#include <utility>

#include "src/filter/layouts/compact/solver/slices.h"

namespace bloomline::kernels {
namespace {

struct PortableSimd {
  using Bytes = std::array<uint8_t, 64>;
  using Matrix = std::array<uint8_t, 8>;
  using Equations = uint64_t;

  static Bytes Xor(Bytes a, const Bytes& b) {
    for (unsigned i = 0; i < 64; ++i) a[i] ^= b[i];
    return a;
  }
  static Bytes And(Bytes bytes, unsigned byte) {
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(b & byte);
    return bytes;
  }

  static uint64_t BitMask(const Bytes& bytes, unsigned b) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; ++i) mask |= (uint64_t{bytes[i]} >> b & 1) << i;
    return mask;
  }
  static void BitMasks(const Bytes& bytes, uint64_t masks[8]) {
    for (unsigned b = 0; b < 8; ++b) masks[b] = BitMask(bytes, b);
  }
  static Bytes FromBitMasks(const uint64_t masks[8]) {
    Bytes bytes = {};
    for (unsigned i = 0; i < 64; ++i) {
      for (unsigned b = 0; b < 8; ++b) {
        bytes[i] = static_cast<uint8_t>(bytes[i] | (masks[b] >> i & 1) << b);
      }
    }
    return bytes;
  }
  static uint64_t SumsBelow(const Bytes& bytes, unsigned added, unsigned limit) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; ++i) {
      mask |= uint64_t{static_cast<uint8_t>(bytes[i] + added) < limit} << i;
    }
    return mask;
  }

  static Equations Selectors(uint64_t pivots) { return pivots; }
  static Matrix FromRows(uint64_t rows) {
    Matrix matrix;
    for (unsigned b = 0; b < 8; ++b) matrix[b] = static_cast<uint8_t>(rows >> 8 * b);
    return matrix;
  }
  static Matrix MatrixAt(const Bytes& bytes, Equations equations, uint64_t added) {
    Matrix matrix = FromRows(added);
    for (unsigned b = 0; b < 8; ++b) {
      const uint64_t equation = equations >> 8 * b & 0xFF;
      if (equation < 64) matrix[b] ^= bytes[equation];
    }
    return matrix;
  }
  static Bytes TimesMatrix(const Bytes& bytes, const Matrix& matrix) {
    Bytes product = {};
    for (unsigned i = 0; i < 64; ++i) {
      for (unsigned b = 0; b < 8; ++b) {
        if ((bytes[i] >> b & 1) != 0) product[i] ^= matrix[b];
      }
    }
    return product;
  }

  static Bytes BytesAt(const Slice<PortableSimd>& slice, const uint8_t at[64]) {
    Bytes bytes;
    for (unsigned i = 0; i < 64; ++i) {
      bytes[i] = at[i] < 64 ? slice.low[at[i]] : slice.high[at[i] - 64u];
    }
    return bytes;
  }
  static void Exchange(const EquationPairs& pairs, Slice<PortableSimd>* slice) {
    for (unsigned i = 0; i < pairs.size; ++i) {
      std::swap(slice->low[pairs.low[i]], slice->high[pairs.high[i] - 64u]);
    }
  }
  static void Transpose(const uint64_t words[64], Bytes to[8]) {
    for (unsigned i = 0; i < 64; ++i) {
      for (unsigned b = 0; b < 8; ++b) to[b][i] = static_cast<uint8_t>(words[i] >> 8 * b);
    }
  }
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_TESTS_FILTER_PORTABLE_SIMD_H_
