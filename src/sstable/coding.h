// Numbers and strings as LevelDB and RocksDB write them. Each Get function takes its value off the
// front of *input, or returns false and leaves the outputs in an unspecified state.
#ifndef BLOOMLINE_SSTABLE_CODING_H_
#define BLOOMLINE_SSTABLE_CODING_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bloomline::sstable {

inline uint64_t DecodeFixed(const char* bytes, int count) {
  uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}
inline uint32_t DecodeFixed32(const char* bytes) {
  return static_cast<uint32_t>(DecodeFixed(bytes, 4));
}
inline uint64_t DecodeFixed64(const char* bytes) { return DecodeFixed(bytes, 8); }

inline bool GetVarint64(std::string_view* input, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < input->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*input)[i]);
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      input->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

inline bool GetVarint32(std::string_view* input, uint32_t* value) {
  *value = 0;
  for (size_t i = 0; i < input->size() && i < 5; ++i) {
    const auto byte = static_cast<unsigned char>((*input)[i]);
    *value |= static_cast<uint32_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      input->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// A varint32 and as many bytes.
inline bool GetLengthPrefixed(std::string_view* input, std::string_view* value) {
  uint32_t size;
  if (!GetVarint32(input, &size) || size > input->size()) return false;
  *value = input->substr(0, size);
  input->remove_prefix(size);
  return true;
}

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_SSTABLE_CODING_H_
