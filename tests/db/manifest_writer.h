// Writes MANIFESTs, records and edits, also such as no engine would write.
#ifndef BLOOMLINE_TESTS_DB_MANIFEST_WRITER_H_
#define BLOOMLINE_TESTS_DB_MANIFEST_WRITER_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/db/tables/bytes/checksum.h"

namespace bloomline::tests {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
  return bytes + static_cast<char>(value);
}
inline std::string LengthPrefixed(std::string_view value) {
  return Varint(value.size()) + std::string(value);
}
inline std::string Fixed(uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

// A user key with a sequence number and a type.
inline std::string InternalKey(std::string_view user_key) {
  return LengthPrefixed(std::string(user_key) + Fixed(5 << 8 | 1, 8));
}
// Tags of LevelDB's, and RocksDB's fourth with its fields.
inline std::string NewFile(int level, uint64_t number, std::string_view smallest,
                           std::string_view largest, uint64_t bytes = 1000) {
  return Varint(7) + Varint(static_cast<uint64_t>(level)) + Varint(number) +
         Varint(bytes + number) + InternalKey(smallest) + InternalKey(largest);
}
inline std::string NewFile4(int level, uint64_t number, std::string_view smallest,
                            std::string_view largest, std::string_view fields = "") {
  return Varint(103) + Varint(static_cast<uint64_t>(level)) + Varint(number) +
         Varint(1000 + number) + InternalKey(smallest) + InternalKey(largest) + Varint(3) +
         Varint(9) + std::string(fields) + Varint(1);
}
inline std::string DeletedFile(int level, uint64_t number) {
  return Varint(6) + Varint(static_cast<uint64_t>(level)) + Varint(number);
}

// The first record of a database: the comparator, the log, the next file, the last sequence number.
inline std::string NewDatabase(std::string_view comparator) {
  return Varint(1) + LengthPrefixed(comparator) + Varint(2) + Varint(3) + Varint(3) + Varint(9) +
         Varint(4) + Varint(100);
}

class ManifestWriter {
 public:
  static constexpr size_t kBlockBytes = 32768;
  static constexpr size_t kHeaderBytes = 7;

  void AddFragment(int type, std::string_view payload) {
    const std::string body = static_cast<char>(type) + std::string(payload);
    bytes_ += Fixed(tables::MaskCrc32c(tables::Crc32c(body.data(), body.size())), 4) +
              Fixed(payload.size(), 2) + body;
  }

  // In as many fragments as needed.
  void Add(std::string_view record) {
    for (bool begin = true, end = false; !end; begin = false) {
      size_t left = kBlockBytes - bytes_.size() % kBlockBytes;
      if (left < kHeaderBytes) {
        bytes_.append(left, '\0');
        left = kBlockBytes;
      }
      const size_t size = std::min(record.size(), left - kHeaderBytes);
      end = size == record.size();
      AddFragment(begin && end ? 1 : begin ? 2 : end ? 4 : 3, record.substr(0, size));
      record.remove_prefix(size);
    }
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_MANIFEST_WRITER_H_
