#include "src/engines/rocksdb/stock/stock_bloom_builder.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "src/engines/rocksdb/allocation_fit.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/stock/stock_size.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// As RocksDB writes it.
constexpr char kOwnAlwaysMatch[6] = {};

uint64_t HashOf(const Slice& key) {
  const std::string_view text = key.ToStringView();
  return text.size() <= stock::kMaxShortKeyBytes ? stock::ShortRocksDBHash64(text)
                                                 : stock::RocksDBHash64(text);
}

// Whole blocks of what is left of a length with the trailer.
uint64_t WholeBlocks(uint64_t filter_bytes) {
  return std::min(filter_bytes - stock::kTrailerBytes, stock::kMaxPayloadBytes) &
         ~(kernels::kBlockBytes - 1);
}

}  // namespace

StockBloomBuilder::StockBloomBuilder(std::unique_ptr<FilterBitsBuilder> own, int millibits_per_key,
                                     const ROCKSDB_NAMESPACE::BlockBasedTableOptions& options,
                                     std::shared_ptr<StockBalance> balance)
    : own_(std::move(own)),
      millibits_(millibits_per_key),
      balance_(options.optimize_filters_for_memory ? std::move(balance) : nullptr) {
  std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache = ChargedCache(options);
  if (cache == nullptr) return;
  charge_.ChargeTo(std::move(cache));
  hashes_.SetObserver(&charge_);
}

void StockBloomBuilder::Append(uint64_t hash) {
  // Once memory was refused, the filter matches everything, and asking again takes long.
  if (!is_out_of_memory_ && !hashes_.Append(hash)) is_out_of_memory_ = true;
}

__attribute__((flatten)) void StockBloomBuilder::AddKey(const Slice& key) {
  const uint64_t hash = HashOf(key);
  if (hashes_.AppendIfNewAndEasy(hash)) return;
  if (hashes_.size() == 0 || hashes_.back() != hash) Append(hash);
}

// As FilterWriter::AddKeyAndPrefix, which has the reasons.
void StockBloomBuilder::AddKeyAndAlt(const Slice& key, const Slice& alt) {
  const uint64_t key_hash = HashOf(key);
  const uint64_t alt_hash = HashOf(alt);
  const bool has_key = hashes_.size() != 0;
  const uint64_t last_key_hash = has_key ? hashes_.back() : 0;
  const auto is_last_key = [&](uint64_t hash) { return has_key && hash == last_key_hash; };
  const auto is_last_alt = [&](uint64_t hash) {
    return has_previous_alt_ && hash == previous_alt_hash_;
  };
  if (alt_hash != key_hash && !is_last_alt(alt_hash) && !is_last_key(alt_hash)) Append(alt_hash);
  if (!is_last_key(key_hash) && !is_last_alt(key_hash)) Append(key_hash);
  previous_alt_hash_ = alt_hash;
  has_previous_alt_ = true;
}

// RocksDB writes no partition if there are no entries.
size_t StockBloomBuilder::EstimateEntriesAdded() {
  return std::max<size_t>(hashes_.size(), is_out_of_memory_ ? 1 : 0);
}

int StockBloomBuilder::NumProbes(uint64_t num_keys, uint64_t payload_bytes) const {
  if (balance_ == nullptr) return stock::BloomNumProbes(millibits_);
  const uint64_t millibits = payload_bytes * 8000 / std::max<uint64_t>(num_keys, 1);
  return stock::BloomNumProbes(static_cast<int>(millibits));
}

double StockBloomBuilder::Rate(uint64_t num_keys, uint64_t payload_bytes) const {
  return stock::EstimatedBloomRate(num_keys, payload_bytes, NumProbes(num_keys, payload_bytes));
}

// Begins at a cache line: RocksDB takes the slice alone (bits_builder.cc).
StockBloomBuilder::Memory StockBloomBuilder::Allocate(uint64_t num_keys,
                                                      uint64_t payload_bytes) const {
  if (balance_ != nullptr) return AllocateWholly(num_keys, payload_bytes);
  Memory memory;
  const uint64_t num_bytes = payload_bytes + stock::kTrailerBytes + kernels::kBlockBytes - 1;
  if (num_bytes > SIZE_MAX) return memory;  // on a 32-bit CPU
  char* const start = new (std::nothrow) char[static_cast<size_t>(num_bytes)];
  memory.buffer.reset(start);
  if (start == nullptr) return memory;
  memory.bytes = start + -reinterpret_cast<uintptr_t>(start) % kernels::kBlockBytes;
  memory.payload_bytes = payload_bytes;
  std::memset(memory.bytes, 0, static_cast<size_t>(payload_bytes));
  return memory;
}

// optimize_filters_for_memory: as large as the allocator's size, or a size below that keeps the
// balance (XXPH3FilterBitsBuilder::AllocateMaybeRounding).
StockBloomBuilder::Memory StockBloomBuilder::AllocateWholly(uint64_t num_keys,
                                                            uint64_t payload_bytes) const {
  Memory memory;
  const double target_rate = Rate(num_keys, payload_bytes);
  double rate = target_rate;
  memory.payload_bytes = payload_bytes;
  const int64_t balance = balance_->load();
  if (balance < 0) {
    const double allowed_rate = static_cast<double>(-balance) / 4294967296.0 + target_rate;
    for (uint64_t sixteenths = 12; sixteenths < 16; ++sixteenths) {
      const uint64_t smaller = WholeBlocks(sixteenths * payload_bytes / 16 + stock::kTrailerBytes);
      if (smaller == 0) continue;  // readers take it for a filter without keys
      const double smaller_rate = Rate(num_keys, smaller);
      if (smaller_rate > allowed_rate) continue;
      memory.payload_bytes = smaller;
      rate = smaller_rate;
      break;
    }
  }
  const uint64_t asked = memory.payload_bytes + stock::kTrailerBytes;
  const uint64_t usable = UsableBytes(asked);
  // More than a third more would gain little for the disk space.
  if (usable > asked && usable + kBlockTrailerBytes <= (asked + kBlockTrailerBytes) * 4 / 3) {
    memory.payload_bytes = WholeBlocks(usable);
    rate = Rate(num_keys, memory.payload_bytes);
  }
  const uint64_t num_bytes = memory.payload_bytes + stock::kTrailerBytes + kBlockTrailerBytes;
  if (num_bytes > SIZE_MAX) return memory;  // on a 32-bit CPU
  char* const start = new (std::nothrow) char[static_cast<size_t>(num_bytes)];
  memory.buffer.reset(start);
  if (start == nullptr) return memory;
  memory.bytes = start;
  std::memset(start, 0, static_cast<size_t>(memory.payload_bytes));
  *balance_ += static_cast<int64_t>((rate - target_rate) * 4294967296.0);
  return memory;
}

Slice StockBloomBuilder::Finish(std::unique_ptr<const char[]>* buf, Status* status) {
  if (status != nullptr) *status = Status::OK();
  const size_t num_keys = hashes_.size();
  if (num_keys == 0 && !is_out_of_memory_) return own_->Finish(buf, status);
  Memory memory;
  if (!is_out_of_memory_) {
    memory = Allocate(num_keys, stock::BloomPayloadBytes(num_keys, millibits_));
  }
  if (memory.bytes == nullptr) {
    ForgetKeys();
    return Slice(kOwnAlwaysMatch, sizeof(kOwnAlwaysMatch));
  }
  const auto num_bytes = static_cast<size_t>(memory.payload_bytes + stock::kTrailerBytes);
  charge_.AddFilter(num_bytes);
  const int num_probes = NumProbes(num_keys, memory.payload_bytes);
  const kernels::PayloadView view{memory.bytes, memory.payload_bytes / kernels::kBlockBytes,
                                  num_probes};
  const auto insert_many = kernels::ActiveKernel().stock.local_bloom.insert_many;
  hashes_.ForEachChunk([&](const uint64_t* hashes, size_t n) { insert_many(view, n, hashes); });
  stock::EncodeBloomTrailer(num_probes, memory.bytes + memory.payload_bytes);
  ForgetKeys();
  *buf = std::move(memory.buffer);
  return Slice(memory.bytes, num_bytes);
}

void StockBloomBuilder::ForgetKeys() {
  hashes_.Clear();
  charge_.ReleaseHashes();
  is_out_of_memory_ = false;
  has_previous_alt_ = false;
}

size_t StockBloomBuilder::ApproximateNumEntries(size_t bytes) {
  if (bytes < stock::kTrailerBytes) return 0;
  return static_cast<size_t>(WholeBlocks(bytes) * 8000 / static_cast<uint64_t>(millibits_));
}

size_t StockBloomBuilder::CalculateSpace(size_t num_entries) {
  return static_cast<size_t>(stock::BloomPayloadBytes(num_entries, millibits_)) +
         stock::kTrailerBytes;
}

double StockBloomBuilder::EstimatedFpRate(size_t num_entries, size_t bytes) {
  if (bytes <= stock::kTrailerBytes) return num_entries > 0 ? 1 : 0;
  return Rate(num_entries, bytes - stock::kTrailerBytes);
}

}  // namespace bloomline
