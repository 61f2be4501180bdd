#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "bloomline/bloom_filter.h"
#include "src/in_memory/bloom_file.h"
#include "src/in_memory/bloom_state.h"
#include "src/support/file_io.h"
#include "src/support/out_of_memory.h"

namespace bloomline {

MappedBloomFilter::MappedBloomFilter(std::unique_ptr<in_memory::BloomState> state)
    : BloomFilterBase(std::move(state)) {}
MappedBloomFilter::~MappedBloomFilter() = default;
MappedBloomFilter::MappedBloomFilter(MappedBloomFilter&&) noexcept = default;
MappedBloomFilter& MappedBloomFilter::operator=(MappedBloomFilter&&) noexcept = default;

std::unique_ptr<MappedBloomFilter> MappedBloomFilter::Open(const std::string& path, Verify verify,
                                                           std::string* error) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<MappedBloomFilter> {
    support::InputFile file;
    in_memory::BloomFileHeader header;
    if (!file.Open(path, reason) ||
        !in_memory::ReadSoleBloomHeader(file, in_memory::FilePayload::kBits, &header, reason)) {
      return nullptr;
    }
    auto state = std::make_unique<in_memory::BloomState>();
    state->memory = support::FilterMemory::OfFile(file.descriptor(), header.end());
    if (state->memory.data() == nullptr) {
      const int code = errno;
      *reason = path + ": cannot map " + std::to_string(header.end()) +
                " bytes: " + std::generic_category().message(code);
      return nullptr;
    }
    char* payload = state->memory.data() + header.payload_offset;
    if (verify == Verify::kPayload && !in_memory::PayloadMatches(file, header, payload, reason)) {
      return nullptr;
    }
    state->bits = {header.shape, payload, &kernels::ActiveKernel()};
    state->capacity = header.capacity;
    state->num_keys = header.num_keys;
    return std::unique_ptr<MappedBloomFilter>(new MappedBloomFilter(std::move(state)));
  });
}

}  // namespace bloomline
