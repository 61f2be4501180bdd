// Bits and little-endian numbers of a payload, at any alignment and on any CPU; and the attribute
// of code that kernels share.
#ifndef BLOOMLINE_FILTER_BITS_BYTES_H_
#define BLOOMLINE_FILTER_BITS_BYTES_H_

#include <cstdint>
#include <cstring>

// An inlined function is compiled for the instruction set of each kernel that calls it. A shared
// function would be compiled for none.
#define BLOOMLINE_ALWAYS_INLINE __attribute__((always_inline)) inline

namespace bloomline::kernels {

// Bit i of a payload is in byte i / 8.
inline bool TestBit(const char* data, uint64_t bit) {
  return (static_cast<unsigned char>(data[bit / 8]) >> (bit % 8) & 1) != 0;
}

inline void SetBit(char* data, uint64_t bit) {
  char* byte = data + bit / 8;
  *byte = static_cast<char>(static_cast<unsigned char>(*byte) | 1u << (bit % 8));
}

// Changes a number from the CPU's order of bytes to the payload's, or back.
template <typename Number>
Number LittleEndian(Number number) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return static_cast<Number>(__builtin_bswap64(number) >> (64 - 8 * sizeof(number)));
#else
  return number;
#endif
}

template <typename Number>
Number LoadLittleEndian(const char* p) {
  Number number;
  std::memcpy(&number, p, sizeof(number));
  return LittleEndian(number);
}

inline unsigned LoadLittleEndian16(const char* p) { return LoadLittleEndian<uint16_t>(p); }
inline uint32_t LoadLittleEndian32(const char* p) { return LoadLittleEndian<uint32_t>(p); }
inline uint64_t LoadLittleEndian64(const char* p) { return LoadLittleEndian<uint64_t>(p); }

template <typename Number>
void StoreLittleEndian(Number number, char* p) {
  number = LittleEndian(number);
  std::memcpy(p, &number, sizeof(number));
}

inline void StoreLittleEndian32(uint32_t number, char* p) { StoreLittleEndian(number, p); }
inline void StoreLittleEndian64(uint64_t number, char* p) { StoreLittleEndian(number, p); }

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_BYTES_H_
