// Single bits of a payload, bit i in byte i / 8.
#ifndef BLOOMLINE_FILTER_BITS_BITS_H_
#define BLOOMLINE_FILTER_BITS_BITS_H_

#include <cstdint>

namespace bloomline::kernels {

inline bool TestBit(const char* data, uint64_t bit) {
  return (static_cast<unsigned char>(data[bit / 8]) >> (bit % 8) & 1) != 0;
}

inline void SetBit(char* data, uint64_t bit) {
  char* byte = data + bit / 8;
  *byte = static_cast<char>(static_cast<unsigned char>(*byte) | 1u << (bit % 8));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_BITS_H_
