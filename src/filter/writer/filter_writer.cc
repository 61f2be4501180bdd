#include "src/filter/writer/filter_writer.h"

#include <cstring>

#include "bloomline/seed.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
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
    : options_(options),
      plan_(nullptr),
      hash_(HashFunction::kXxh3),
      first_long_size_(kMaxShortKeyBytes + 1),
      hasher_(options.seed) {
  Reset();
}

FilterWriter::FilterWriter(const FilterOptions& options, const LayoutRow& plan)
    : options_(options),
      plan_(&plan),
      hash_(plan.hash),
      first_long_size_(hash_ == HashFunction::kXxh3 ? kMaxShortKeyBytes + 1 : 0),
      hasher_(options.seed) {
  Reset();
}

__attribute__((flatten)) void FilterWriter::AddAnyKey(std::string_view key) {
  AddHash(HashOf(key));
}

uint64_t FilterWriter::HashOfRocksDB(std::string_view key) const {
  if (hash_ == HashFunction::kRocksDB32) return RocksDBHash32(key);
  return key.size() <= kMaxShortKeyBytes ? stock::ShortRocksDBHash64(key)
                                         : stock::RocksDBHash64(key);
}

void FilterWriter::AppendNew(uint64_t hash) {
  if (hashes_.size() == 0 || hashes_.back() != hash) Append(hash);
}

void FilterWriter::AddKeyAndPrefix(std::string_view key, std::string_view prefix) {
  const uint64_t key_hash = HashOf(key);
  const uint64_t prefix_hash = HashOf(prefix);
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

void FilterWriter::AddPrefix(std::string_view prefix) {
  const uint64_t hash = HashOf(prefix);
  if (previous_prefix_hash_ == hash) return;
  previous_prefix_hash_ = hash;
  AddHash(hash);
}

void FilterWriter::TakeHashes(HashList* hashes) {
  if (hashes->size() == 0) return;
  if (hashes_.size() == 0) first_hash_ = hashes->front();
  hashes_.TakeAll(hashes);
  previous_prefix_hash_.reset();
}

void FilterWriter::TakeKeysFrom(FilterWriter* other) {
  TakeHashes(&other->hashes_);
  if (fault() == WriterFault::kNone) fault_ = other->fault();
  other->Reset();
}

FilterShape FilterWriter::Plan(ShapeRequest limits, const kernels::Kernel* kernel) {
  limits.num_keys = num_keys();
  limits.bits_per_key = options_.bits_per_key;
  limits.chance = static_cast<uint32_t>(first_hash_ >> 32);
  FilterShape shape = SSTableShape(*plan_, limits);
  if (LayoutRowFor(shape.layout).solve == nullptr || shape.num_blocks == 0 ||
      fault() != WriterFault::kNone) {
    return shape;
  }
  if (kernel == nullptr) kernel = &kernels::ActiveKernel();
  try {
    Solve(limits, *kernel, &shape);
  } catch (const std::bad_alloc&) {
    fault_ = WriterFault::kNoMemory;  // some hashes may be gone
    throw;
  }
  return shape;
}

void FilterWriter::Solve(const ShapeRequest& request, const kernels::Kernel& kernel,
                         FilterShape* shape) {
  solution_ = LayoutRowFor(shape->layout).solve(&hashes_, first_hash_, request, kernel, shape);
}

void FilterWriter::WritePayload(FilterShape* shape, int num_threads, char* dst) {
  const kernels::Kernel& kernel = kernels::ActiveKernel();
  if (solution_ == nullptr && LayoutRowFor(shape->layout).solve != nullptr) {
    Solve({num_keys(), options_.bits_per_key}, kernel, shape);
  }
  if (solution_ != nullptr) return solution_->WriteTo(*shape, kernel, dst);
  BuildPayload(&hashes_, *shape, kernel, num_threads, dst);
}

WriterFault FilterWriter::FinishTo(const FilterShape& planned, char* dst, int num_threads) {
  const WriterFault fault = this->fault();
  const uint64_t num_bytes = planned.payload_bytes() + end_bytes(planned);
  // Without a solution, the payload of another layout may be longer by what followed this one.
  std::memset(dst, 0, static_cast<size_t>(num_bytes));
  FilterShape shape = planned;
  if (shape.num_blocks != 0 && fault == WriterFault::kNone) {
    try {
      WritePayload(&shape, num_threads, dst);
    } catch (const std::bad_alloc&) {
      fault_ = WriterFault::kNoMemory;
      throw;
    }
  }
  const uint64_t payload_bytes = shape.payload_bytes();
  if (fault != WriterFault::kNone) shape = FilterShape();
  WriteEnd(shape, static_cast<size_t>(num_bytes - payload_bytes), dst + payload_bytes);
  Reset();
  return fault;
}

size_t FilterWriter::end_bytes(const FilterShape& shape) const {
  return has_trailer() ? EndBytes(shape) : stock::kMetadataBytes;
}

void FilterWriter::WriteEnd(const FilterShape& shape, size_t end_bytes, char* dst) const {
  if (has_trailer()) return EncodeEnd(shape, seed(), end_bytes, dst);
  if (shape.always_matches()) {
    std::memset(dst, 0, stock::kMetadataBytes);
    return;
  }
  const uint64_t stock_seed = solution_ == nullptr ? 0 : solution_->seed();
  LayoutRowFor(shape.layout).write_end({shape, stock_seed}, dst);
}

void FilterWriter::Reset() {
  solution_.reset();
  hashes_.Clear();
  previous_prefix_hash_.reset();
  fault_ = WriterFault::kNone;
  if (!options_.random_seed) return;
  uint64_t seed = 0;
  if (!DrawSeed(&seed, nullptr)) fault_ = WriterFault::kNoSeed;
  hasher_ = KeyHasher(seed);
}

}  // namespace bloomline::filter
