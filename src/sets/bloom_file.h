// Saved Bloom filters and counting ones: a header and a payload (docs/format.md, sections 8 and
// 10), in a file or in bytes.
#ifndef BLOOMLINE_SETS_BLOOM_FILE_H_
#define BLOOMLINE_SETS_BLOOM_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "src/sets/bloom_state.h"
#include "src/sets/file_header.h"
#include "src/support/byte_io.h"

namespace bloomline::sets {

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

// Reads the header of the filter that begins at `offset` and ends within the source: so a caller
// that allocates payload_bytes takes no more memory than the source is long.
bool ReadBloomHeader(const support::ByteSource& source, uint64_t offset, FilePayload kind,
                     BloomFileHeader* header, std::string* error);

// The same for a source that holds one filter and nothing else.
bool ReadSoleBloomHeader(const support::ByteSource& source, FilePayload kind,
                         BloomFileHeader* header, std::string* error);

// Returns false, with *error, if the source continues after `end`.
bool EndsAt(const support::ByteSource& source, uint64_t end, std::string* error);

bool PayloadMatches(const support::ByteSource& source, const BloomFileHeader& header,
                    const char* payload, std::string* error);

// Reads the header's payload_bytes bytes. Returns false, with *error, also if the checksum is
// wrong.
bool ReadPayload(const support::ByteSource& source, const BloomFileHeader& header, char* dst,
                 std::string* error);

// Returns the filter, or null, with *error, without memory or if the checksum is wrong.
std::unique_ptr<BloomState> ReadBloom(const support::ByteSource& source,
                                      const BloomFileHeader& header, std::string* error);

// Appends header and payload. payload_offset and payload_checksum of `header` are not used.
bool AppendFilter(FilePayload kind, const BloomFileHeader& header, const char* payload,
                  support::ByteSink* sink, std::string* error);

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_BLOOM_FILE_H_
