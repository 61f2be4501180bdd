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

inline unsigned LoadLittleEndian16(const char* p) {
  return static_cast<unsigned char>(p[0]) | static_cast<unsigned>(static_cast<unsigned char>(p[1]))
                                                << 8;
}

inline uint32_t LoadLittleEndian32(const char* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

inline uint64_t LoadLittleEndian64(const char* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

inline void StoreLittleEndian32(uint32_t value, char* p) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  std::memcpy(p, &value, sizeof(value));
}

inline void StoreLittleEndian64(uint64_t value, char* p) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  std::memcpy(p, &value, sizeof(value));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_BYTES_H_
