// What the tables in this folder hold.
#ifndef BLOOMLINE_TESTS_GOLDEN_TABLES_ENTRIES_H_
#define BLOOMLINE_TESTS_GOLDEN_TABLES_ENTRIES_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace bloomline::tests {

constexpr int kGoldenEntries = 120;

struct GoldenKeyValue {
  std::string key;
  bool is_deletion = false;
  std::string value;
};

inline GoldenKeyValue GoldenEntry(int i) {
  GoldenKeyValue entry;
  char key[32];
  std::snprintf(key, sizeof(key), "golden/%05d", i * 3);
  entry.key = key;
  if (i % 5 == 0) entry.key += "/tail";
  entry.is_deletion = i % 17 == 4;
  if (!entry.is_deletion) {
    entry.value = std::string(static_cast<size_t>(i * 7 % 40), static_cast<char>('a' + i % 26));
  }
  return entry;
}

// The CRC-32 of zlib, bit by bit: not the code that the test tests.
inline uint32_t GoldenCrc32(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_GOLDEN_TABLES_ENTRIES_H_
