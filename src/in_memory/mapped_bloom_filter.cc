#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "bloomline/bloom_filter.h"
#include "src/errors/out_of_memory.h"
#include "src/in_memory/bloom_file.h"
#include "src/in_memory/bloom_state.h"
#include "src/memory/file_io.h"

namespace bloomline {

MappedBloomFilter::MappedBloomFilter(std::unique_ptr<filters::BloomState> state)
    : BloomFilterBase(std::move(state)) {}
MappedBloomFilter::~MappedBloomFilter() = default;
MappedBloomFilter::MappedBloomFilter(MappedBloomFilter&&) noexcept = default;
MappedBloomFilter& MappedBloomFilter::operator=(MappedBloomFilter&&) noexcept = default;

std::unique_ptr<MappedBloomFilter> MappedBloomFilter::Open(const std::string& path, Verify verify,
                                                           std::string* error) {
  return core::OrError(error, [&](std::string* reason) -> std::unique_ptr<MappedBloomFilter> {
    filters::InputFile file;
    filters::BloomFileHeader header;
    if (!file.Open(path, reason) ||
        !filters::ReadSoleBloomHeader(file, filters::FilePayload::kBits, &header, reason)) {
      return nullptr;
    }
    auto state = std::make_unique<filters::BloomState>();
    state->memory = filters::FilterMemory::OfFile(file.descriptor(), header.end());
    if (state->memory.data() == nullptr) {
      const int code = errno;
      *reason = path + ": cannot map " + std::to_string(header.end()) +
                " bytes: " + std::generic_category().message(code);
      return nullptr;
    }
    char* payload = state->memory.data() + header.payload_offset;
    if (verify == Verify::kPayload && !filters::PayloadMatches(file, header, payload, reason)) {
      return nullptr;
    }
    state->bits = {header.shape, payload, &kernels::ActiveKernel()};
    state->capacity = header.capacity;
    state->num_keys = header.num_keys;
    return std::unique_ptr<MappedBloomFilter>(new MappedBloomFilter(std::move(state)));
  });
}

}  // namespace bloomline
