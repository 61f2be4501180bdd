// Little-endian numbers at any alignment, on any CPU.
#ifndef BLOOMLINE_FILTER_BITS_LITTLE_ENDIAN_H_
#define BLOOMLINE_FILTER_BITS_LITTLE_ENDIAN_H_

#include <cstdint>
#include <cstring>

namespace bloomline::kernels {

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

#endif  // BLOOMLINE_FILTER_BITS_LITTLE_ENDIAN_H_
