// Reads and writes numbers in the form of LevelDB and RocksDB (LevelDB util/coding.h). Functions
// never read at or behind `limit`.
#ifndef BLOOMLINE_DB_TABLES_BYTES_CODING_H_
#define BLOOMLINE_DB_TABLES_BYTES_CODING_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/filter/bits/bytes.h"

namespace bloomline::tables {

using kernels::LoadLittleEndian16;
using kernels::LoadLittleEndian32;
using kernels::LoadLittleEndian64;

// Reads seven bits from each byte, the lowest first. Returns the end of the number, or null if it
// does not end before `limit`, or has more bytes than its type needs.
template <typename T>
const char* ReadVarint(const char* p, const char* limit, T* value) {
  constexpr unsigned kBits = sizeof(T) * 8;
  T result = 0;
  for (unsigned shift = 0; shift < kBits && p < limit; shift += 7) {
    const auto byte = static_cast<unsigned char>(*p++);
    result |= static_cast<T>(static_cast<T>(byte & 127) << shift);
    if (byte < 128) {
      *value = result;
      return p;
    }
  }
  return nullptr;
}

// Removes a number from the front of *input. Returns false if it does not begin with one.
template <typename T>
bool TakeVarint(std::string_view* input, T* value) {
  const char* limit = input->data() + input->size();
  const char* end = ReadVarint(input->data(), limit, value);
  if (end == nullptr) return false;
  *input = std::string_view(end, static_cast<size_t>(limit - end));
  return true;
}

// Removes a length and as many bytes from the front of *input. Returns false if it is too short.
inline bool TakeBytes(std::string_view* input, std::string_view* bytes) {
  uint32_t size;
  if (!TakeVarint(input, &size) || size > input->size()) return false;
  *bytes = input->substr(0, size);
  input->remove_prefix(size);
  return true;
}

// ---- These append to *out.

inline void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 128; value >>= 7) *out += static_cast<char>(value | 128);
  *out += static_cast<char>(value);
}

inline void AppendFixed32(uint32_t value, std::string* out) {
  char bytes[4];
  kernels::StoreLittleEndian32(value, bytes);
  out->append(bytes, sizeof(bytes));
}

// Appends the length before the bytes.
inline void AppendBytes(std::string_view bytes, std::string* out) {
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_BYTES_CODING_H_
