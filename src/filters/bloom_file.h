// A saved Bloom filter: header and payload (docs/format.md, section 8).
#ifndef BLOOMLINE_FILTERS_BLOOM_FILE_H_
#define BLOOMLINE_FILTERS_BLOOM_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "src/filters/bloom_state.h"
#include "src/filters/file_io.h"

namespace bloomline::filters {

// What a header says, checked as far as it can be without the payload.
struct BloomFileHeader {
  BloomShape shape;
  uint64_t capacity = 0;
  uint64_t num_added = 0;
  uint64_t payload_offset = 0;
  uint64_t payload_checksum = 0;

  uint64_t end() const { return payload_offset + shape.num_lines * kernels::kLineBytes; }
};

// `error` is not null in what follows.

// The filter that begins at `offset` and ends within the file.
bool ReadBloomHeader(const InputFile& file, uint64_t offset, BloomFileHeader* header,
                     std::string* error);

// False, with *error, if the file goes on after `end`.
bool EndsAt(const InputFile& file, uint64_t end, std::string* error);

bool PayloadMatches(const InputFile& file, const BloomFileHeader& header, const char* payload,
                    std::string* error);

// The filter in memory. Null, with *error, if it cannot be had or the checksum is wrong.
std::unique_ptr<BloomState> ReadBloom(const InputFile& file, const BloomFileHeader& header,
                                      std::string* error);

bool AppendBloom(const BloomState& state, ReplacementFile* file, std::string* error);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_BLOOM_FILE_H_
