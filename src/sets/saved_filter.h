// Saved filters (docs/format.md, sections 8 to 10), in a file or in bytes: the header, which is
// read and written field by field; Bloom filters and counting ones, which are a header and a
// payload; and what surrounds both: opening, replacing, and errors.
#ifndef BLOOMLINE_SETS_SAVED_FILTER_H_
#define BLOOMLINE_SETS_SAVED_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "src/filter/bits/bytes.h"
#include "src/sets/bloom_shape.h"
#include "src/support/byte_io.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"
#include "src/support/set_error.h"

namespace bloomline::sets {

// The first 8 bytes of saved filters (docs/format.md, sections 8 to 10).
constexpr char kBloomMagic[] = "bLnBloom";
constexpr char kScalableMagic[] = "bLnScale";
constexpr char kCountingMagic[] = "bLnCount";

// Returns "a saved BloomFilter" or the like for its first bytes, and an empty string for others.
std::string_view SavedKind(std::string_view bytes);

constexpr uint64_t kFileHeaderBytes = 64;
constexpr uint32_t kFileVersion = 1;

// Offsets of the fields that all saved filters have. Other fields depend on the kind of filter.
constexpr size_t kMagicOffset = 0;
constexpr size_t kVersionOffset = 8;    // 4 bytes
constexpr size_t kLayoutOffset = 12;    // 1 byte
constexpr size_t kReservedOffset = 14;  // 2 bytes of zero
constexpr size_t kSeedOffset = 16;
constexpr size_t kHeaderChecksumOffset = 56;

class FileHeader {
 public:
  // A header of version 1. `magic` has 8 characters.
  static FileHeader New(const char* magic);

  // Reads a header at `offset`. Returns false, with *error, unless length, magic, version, checksum
  // and the reserved bytes are right.
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

// Returns false, with "SOURCE, offset N: NAME is VALUE; ALLOWED" in *error.
template <typename Value, typename... Allowed>
bool RefuseField(const support::ByteSource& source, uint64_t offset, const char* name,
                 const Value& value, std::string* error, const Allowed&... allowed) {
  return support::Refuse(error, source.name(), ", offset ", offset, ": ", name, " is ", value, "; ",
                         allowed...);
}

// The unit of the payload.
enum class FilePayload { kBits, kCounters };

// The fields of a header that was checked as far as possible without the payload.
struct BloomFileHeader {
  BloomShape shape;
  uint64_t capacity = 0;
  uint64_t num_keys = 0;
  uint64_t payload_bytes = 0;
  uint64_t payload_offset = 0;
  uint64_t payload_checksum = 0;

  uint64_t end() const { return payload_offset + payload_bytes; }
};

// `error` is not null in these functions.

// Reads the header of the filter that begins at `offset` and ends within the source. So a caller
// that allocates payload_bytes takes no more memory than the source is long.
bool ReadBloomHeader(const support::ByteSource& source, uint64_t offset, FilePayload kind,
                     BloomFileHeader* header, std::string* error);

// Reads the header of a source that holds one filter and nothing else.
bool ReadSoleBloomHeader(const support::ByteSource& source, FilePayload kind,
                         BloomFileHeader* header, std::string* error);

// Returns false, with *error, if the source continues after `end`.
bool EndsAt(const support::ByteSource& source, uint64_t end, std::string* error);

// Returns false, with *error, if the checksum of the header's payload_bytes bytes is wrong.
bool PayloadMatches(const support::ByteSource& source, const BloomFileHeader& header,
                    const char* payload, std::string* error);

// Appends header and payload. payload_offset and payload_checksum of `header` are not used.
bool AppendFilter(FilePayload kind, const BloomFileHeader& header, const char* payload,
                  support::ByteSink* sink, std::string* error);

// `saved` has AppendTo, which appends the whole filter, and SavedBytes, its length. If the filter
// cannot be written, this returns false, with *error unless `error` is null, and leaves the old
// file, or *bytes, unchanged.
template <typename Saved>
bool SaveToFile(const std::string& path, std::string* error, const Saved& saved) {
  return support::OrError(error, [&](std::string* reason) {
    support::ReplacementFile file;
    return file.Open(path, reason) && saved.AppendTo(&file, reason) && file.Commit(reason);
  });
}

template <typename Saved>
bool SaveToBytes(std::string* bytes, std::string* error, const Saved& saved) {
  return support::OrError(error, [&](std::string* reason) {
    support::OutputBytes output(saved.SavedBytes());
    if (!saved.AppendTo(&output, reason)) return false;
    bytes->swap(*output.bytes());
    return true;
  });
}

// Return the filter that a file or bytes hold, or null, with *error unless `error` is null.
// State::ReadSole reads a source.
template <typename State>
std::unique_ptr<State> LoadFromFile(const std::string& path, std::string* error) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<State> {
    support::InputFile file;
    return file.Open(path, reason) ? State::ReadSole(file, reason) : nullptr;
  });
}

template <typename State>
std::unique_ptr<State> LoadFromBytes(std::string_view bytes, std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    return State::ReadSole(support::InputBytes(bytes), reason);
  });
}

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_SAVED_FILTER_H_
