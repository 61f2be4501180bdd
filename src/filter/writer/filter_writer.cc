#include "src/filter/writer/filter_writer.h"

#include <cstring>

#include "bloomline/seed.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/writer/payload_builder.h"

namespace bloomline::filter {

const char* FaultText(WriterFault fault) {
  switch (fault) {
    case WriterFault::kNone:
      break;
    case WriterFault::kNoSeed:
      return "no random seed: the system's generator failed";
    case WriterFault::kNoMemory:
      return "out of memory";
  }
  return "";
}

FilterWriter::FilterWriter(const FilterOptions& options)
    : options_(options), hasher_(options.seed) {
  Reset();
}

__attribute__((flatten)) void FilterWriter::AddAnyKey(std::string_view key) {
  AddHash(hasher_(key));
}

void FilterWriter::AddHash(uint64_t hash) {
  if (hashes_.size() == 0 || hashes_.back() != hash) Append(hash);
}

void FilterWriter::AddKeyAndPrefix(std::string_view key, std::string_view prefix) {
  const uint64_t key_hash = hasher_(key);
  const uint64_t prefix_hash = hasher_(prefix);
  std::optional<uint64_t> previous_key_hash;
  if (hashes_.size() != 0) previous_key_hash = hashes_.back();
  // The prefix goes first, so that the last hash in the list is always that of a key.
  if (prefix_hash != key_hash && prefix_hash != previous_prefix_hash_ &&
      prefix_hash != previous_key_hash) {
    Append(prefix_hash);
  }
  if (key_hash != previous_key_hash && key_hash != previous_prefix_hash_) Append(key_hash);
  previous_prefix_hash_ = prefix_hash;
}

void FilterWriter::TakeKeysFrom(FilterWriter* other) {
  hashes_.TakeAll(&other->hashes_);
  previous_prefix_hash_.reset();
  if (fault() == WriterFault::kNone) fault_ = other->fault();
  other->Reset();
}

WriterFault FilterWriter::FinishTo(const FilterShape& shape, char* dst, int num_threads) {
  const WriterFault fault = this->fault();
  std::memset(dst, 0, static_cast<size_t>(shape.payload_bytes()));
  if (shape.num_blocks != 0 && fault == WriterFault::kNone) {
    try {
      BuildPayload(&hashes_, shape, kernels::ActiveKernel(), num_threads, dst);
    } catch (const std::bad_alloc&) {
      fault_ = WriterFault::kNoMemory;
      throw;
    }
  }
  EncodeTrailer(fault == WriterFault::kNone ? shape : FilterShape(), seed(),
                dst + shape.payload_bytes());
  Reset();
  return fault;
}

void FilterWriter::Reset() {
  hashes_.Clear();
  previous_prefix_hash_.reset();
  fault_ = WriterFault::kNone;
  if (!options_.random_seed) return;
  uint64_t seed = 0;
  if (!DrawSeed(&seed, nullptr)) fault_ = WriterFault::kNoSeed;
  hasher_ = KeyHasher(seed);
}

}  // namespace bloomline::filter
