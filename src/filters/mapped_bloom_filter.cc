#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "bloomline/bloom_filter.h"
#include "src/filters/bloom_file.h"
#include "src/filters/bloom_state.h"
#include "src/filters/file_io.h"

namespace bloomline {

MappedBloomFilter::MappedBloomFilter(std::unique_ptr<filters::BloomState> state)
    : BloomFilterView(std::move(state)) {}
MappedBloomFilter::~MappedBloomFilter() = default;

std::unique_ptr<MappedBloomFilter> MappedBloomFilter::Open(const std::string& path, Verify verify,
                                                           std::string* error) {
  std::string reason;
  filters::InputFile file;
  filters::BloomFileHeader header;
  if (!file.Open(path, &reason) ||
      !filters::ReadBloomHeader(file, 0, filters::FilePayload::kBits, &header, &reason) ||
      !filters::EndsAt(file, header.end(), &reason)) {
    filters::SetError(reason, error);
    return nullptr;
  }
  std::unique_ptr<filters::BloomState> state(new (std::nothrow) filters::BloomState);
  if (state == nullptr) {
    filters::SetError("out of memory", error);
    return nullptr;
  }
  state->memory = filters::LineMemory::OfFile(file.descriptor(), header.end());
  if (state->memory.data() == nullptr) {
    filters::SetError(path + ": cannot map " + std::to_string(header.end()) +
                          " bytes: " + std::generic_category().message(errno),
                      error);
    return nullptr;
  }
  char* payload = state->memory.data() + header.payload_offset;
  if (verify == Verify::kPayload && !filters::PayloadMatches(file, header, payload, &reason)) {
    filters::SetError(reason, error);
    return nullptr;
  }
  state->bits = {header.shape, payload, &kernels::ActiveKernel()};
  state->capacity = header.capacity;
  state->num_added = header.num_added;
  std::unique_ptr<MappedBloomFilter> filter(new (std::nothrow) MappedBloomFilter(std::move(state)));
  if (filter == nullptr) filters::SetError("out of memory", error);
  return filter;
}

}  // namespace bloomline
