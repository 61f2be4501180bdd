// Saved Bloom filters and counting ones: header and payload (docs/format.md, sections 8 and 10).
#ifndef BLOOMLINE_IN_MEMORY_BLOOM_FILE_H_
#define BLOOMLINE_IN_MEMORY_BLOOM_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "src/in_memory/bloom_state.h"
#include "src/memory/file_io.h"

namespace bloomline::filters {

// What the payload is made of.
enum class FilePayload { kBits, kCounters };

// What a header says, checked as far as it can be without the payload.
struct BloomFileHeader {
  BloomShape shape;
  uint64_t capacity = 0;
  uint64_t num_keys = 0;  // kCounters: num_keys
  uint64_t payload_offset = 0;
  uint64_t payload_bytes = 0;
  uint64_t payload_checksum = 0;

  uint64_t end() const { return payload_offset + payload_bytes; }
};

// `error` is not null in what follows.

// The filter that begins at `offset` and ends within the file.
bool ReadBloomHeader(const InputFile& file, uint64_t offset, FilePayload kind,
                     BloomFileHeader* header, std::string* error);

// False, with *error, if the file goes on after `end`.
bool EndsAt(const InputFile& file, uint64_t end, std::string* error);

bool PayloadMatches(const InputFile& file, const BloomFileHeader& header, const char* payload,
                    std::string* error);

// The header's payload_bytes bytes. False, with *error, also if the checksum is wrong.
bool ReadPayload(const InputFile& file, const BloomFileHeader& header, char* dst,
                 std::string* error);

// The filter in memory. Null, with *error, if it cannot be had or the checksum is wrong.
std::unique_ptr<BloomState> ReadBloom(const InputFile& file, const BloomFileHeader& header,
                                      std::string* error);

// Of `header`, offset and checksum are not used.
bool AppendFilter(FilePayload kind, const BloomFileHeader& header, const char* payload,
                  ReplacementFile* file, std::string* error);
bool AppendBloom(const BloomState& state, ReplacementFile* file, std::string* error);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_BLOOM_FILE_H_
