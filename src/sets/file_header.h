// The header of saved filters: 64 bytes, read and written field by field (docs/format.md, sections
// 8 and 9).
#ifndef BLOOMLINE_SETS_FILE_HEADER_H_
#define BLOOMLINE_SETS_FILE_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "src/filter/bits/bytes.h"
#include "src/support/byte_io.h"

namespace bloomline::sets {

// The first 8 bytes of saved filters (docs/format.md, sections 8 to 10).
constexpr char kBloomMagic[] = "bLnBloom";
constexpr char kScalableMagic[] = "bLnScale";
constexpr char kCountingMagic[] = "bLnCount";

// "a saved BloomFilter" and the like, for what begins so; empty if it is none.
std::string_view SavedKind(std::string_view bytes);

// "a table (SSTable) of LevelDB" and the like, for what ends so; empty if it is none.
std::string_view TableKind(std::string_view bytes);

constexpr uint64_t kFileHeaderBytes = 64;
constexpr uint32_t kFileVersion = 1;

// Offsets of the fields that all saved filters have. Other fields depend on the kind of filter.
constexpr size_t kMagicOffset = 0;
constexpr size_t kVersionOffset = 8;    // 4 bytes
constexpr size_t kLayoutOffset = 12;    // 1 byte
constexpr size_t kReservedOffset = 14;  // 2 bytes of zero
constexpr size_t kSeedOffset = 16;
constexpr size_t kHeaderChecksumOffset = 56;
static_assert(kVersionOffset == kMagicOffset + 8 && kLayoutOffset == kVersionOffset + 4);
static_assert(kReservedOffset == kLayoutOffset + 2 && kSeedOffset == kReservedOffset + 2);
static_assert(kHeaderChecksumOffset + 8 == kFileHeaderBytes);

class FileHeader {
 public:
  // A header of version 1. `magic` has 8 characters.
  static FileHeader New(const char* magic);

  // Reads a header at `offset`. Returns false, with *error, unless length, magic, version, checksum
  // and the reserved bytes are right. *error says what else the source holds, if it is recognised.
  static bool Read(const support::ByteSource& source, uint64_t offset, const char* magic,
                   FileHeader* header, std::string* error);

  uint8_t Byte(size_t offset) const { return static_cast<uint8_t>(bytes_[offset]); }
  uint64_t Number(size_t offset) const { return kernels::LoadLittleEndian64(bytes_ + offset); }
  double Real(size_t offset) const;
  void SetByte(size_t offset, uint8_t value) { bytes_[offset] = static_cast<char>(value); }
  void SetNumber(size_t offset, uint64_t value) {
    kernels::StoreLittleEndian64(value, bytes_ + offset);
  }
  void SetReal(size_t offset, double value);

  // Sets the checksum. Call it last, before bytes() are written.
  void Seal();
  const char* bytes() const { return bytes_; }

 private:
  uint64_t Checksum() const;

  char bytes_[kFileHeaderBytes] = {};
};

// "SOURCE, offset N: NAME is VALUE; ALLOWED".
std::string FieldError(const support::ByteSource& source, uint64_t offset, const std::string& name,
                       const std::string& value, const std::string& allowed);

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_FILE_HEADER_H_
