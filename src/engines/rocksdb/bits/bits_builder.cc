#include "src/engines/rocksdb/bits/bits_builder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>

#include "bloomline/sizing.h"
#include "rocksdb/env.h"
#include "src/engines/rocksdb/bits/filter_choice.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/trailer.h"
#include "src/filter/ranges/range_field.h"
#include "src/filter/rates/rates.h"
#include "src/filter/table/layout_table.h"
#include "src/support/memory.h"

namespace bloomline {
namespace {

// RocksDB truncates the length of a filter to 32 bits.
constexpr uint64_t kMaxFilterBytes = 0xffffffc0;

uint64_t MaxPayloadBytes(const filter::Extension& extension) {
  // Leaves room for the fields of ranges even without them: it matters only near 4 GiB.
  constexpr uint64_t kFieldsOfRanges =
      2 * filter::kFieldHeadBytes + filter::kSecondPayloadFieldBytes + filter::kMaxRangeFieldBytes;
  return kMaxFilterBytes -
         std::min(kMaxFilterBytes - kFieldsOfRanges, filter::TailBytes(extension)) -
         kFieldsOfRanges;
}

constexpr size_t kCacheLineBytes = 64;

// RocksDB counts in size_t, which on a 32-bit CPU may be too small.
size_t ToSize(uint64_t n) { return static_cast<size_t>(std::min<uint64_t>(n, SIZE_MAX)); }

// From this size on, alignment costs at most 0.1 % if memory is to be saved.
constexpr uint64_t kAlignedFromBytes = 64 << 10;

// The memory of a filter for RocksDB.
//
// Blocks that lie in one cache line each are filled faster, so the filter may begin up to 63 bytes
// behind the start of its memory, unless it is small and memory is to be saved. RocksDB 7.0.3, 7.8,
// 9.10, 10.9, 11.8 and 11.9 use only the slice: for the file, for checksums, for sizes in table
// properties, and for MaybePostVerify; the block cache gets a copy. They only keep and free the
// memory itself. They call malloc_usable_size inside their own builders and for blocks that they
// have read, never for this memory.
struct FilterMemory {
  FilterMemory(uint64_t filter_bytes, bool saves_memory) {
    const bool is_aligned = !saves_memory || filter_bytes >= kAlignedFromBytes;
    const uint64_t num_bytes =
        filter_bytes + (is_aligned ? kCacheLineBytes - 1 : kBlockTrailerBytes);
    if (num_bytes > SIZE_MAX) throw std::bad_alloc();  // on a 32-bit CPU
    char* const start = new char[static_cast<size_t>(num_bytes)];
    buffer.reset(start);
    bytes = is_aligned ? start + -reinterpret_cast<uintptr_t>(start) % kCacheLineBytes : start;
  }

  std::unique_ptr<const char[]> buffer;
  char* bytes;  // where the filter begins
};

}  // namespace

uint64_t FilterBytesInAllocation(uint64_t filter_bytes) {
  const uint64_t bytes = filter_bytes + kBlockTrailerBytes;
  char* const memory = new (std::nothrow) char[bytes];
  if (memory == nullptr) return 0;
  const uint64_t usable = support::UsableBytes(memory);
  delete[] memory;
  return usable < bytes ? 0 : usable - kBlockTrailerBytes;
}

ROCKSDB_NAMESPACE::Slice AlwaysMatch() {
  static constexpr char kBytes[kStockTrailerBytes + 1] = {};
  return ROCKSDB_NAMESPACE::Slice(kBytes, sizeof(kBytes));
}

void ReportUselessFilter(ROCKSDB_NAMESPACE::Logger* log, const char* what, const char* reason) {
  static std::atomic<bool> is_reported{false};
  if (!is_reported.exchange(true)) {
    std::fprintf(stderr, "bloomline: %s: %s; RocksDB's log reports further ones\n", what, reason);
  }
  ROCKSDB_NAMESPACE::Warn(log, "bloomline: %s: %s", what, reason);
}

ROCKSDB_NAMESPACE::Slice CountedBuilder::Finish(std::unique_ptr<const char[]>* buf,
                                                Status* status) noexcept {
  using Steady = std::chrono::steady_clock;
  using filter::Count;
  const size_t num_keys = EstimateEntriesAdded();
  const Steady::time_point start = Steady::now();
  Facts facts;
  const Slice built = Build(buf, status, &facts);
  const std::chrono::nanoseconds time = Steady::now() - start;
  if (counts_ == nullptr || built.empty()) return built;  // a file without keys gets no filter
  counts_->Add(Count::kBuilt, 1);
  counts_->Add(Count::kKeysBuilt, num_keys);
  counts_->Add(Count::kBytesBuilt, built.size());
  counts_->Add(Count::kNanosecondsBuilt, static_cast<uint64_t>(time.count()));
  if (facts.was_limited) counts_->Add(Count::kLimited, 1, filter::FilterLimit::kMaxFilterBytes);
  // A partition without entries may match everything without a fault.
  if (num_keys != 0 && MatchesEverything(built.ToStringView())) {
    const bool is_damaged = status != nullptr && !status->ok();
    counts_->Add(Count::kBuiltUseless, 1,
                 is_damaged ? filter::UselessReason::kDamaged : facts.reason);
  } else {
    RememberOrigin(built.ToStringView(), *counts_);
  }
  return built;
}

RocksDBBitsBuilder::RocksDBBitsBuilder(const FilterOptions& options, ROCKSDB_NAMESPACE::Logger* log,
                                       filter::FilterCounts* counts)
    : CountedBuilder(counts), writer_(options), log_(log) {}

void RocksDBBitsBuilder::UseTableOptions(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& options) {
  is_partition_ = options.partition_filters;
  fills_allocations_ = options.optimize_filters_for_memory;
}

filter::FilterShape RocksDBBitsBuilder::ShapeFor(uint64_t num_keys, bool* is_limited) const {
  const FilterOptions& options = writer_.options();
  double bits_per_key = options.bits_per_key;
  if (max_filter_bytes_ != 0 && num_keys != 0) {
    // The entries for ranges, and what whole blocks may add; keys pay for the rest.
    const uint64_t others = writer_.tail_bytes() - writer_.end_bytes() + kCacheLineBytes;
    const auto key_bytes =
        static_cast<double>(max_filter_bytes_ - std::min(others, max_filter_bytes_));
    const double most_bits = std::max(8 * key_bytes / static_cast<double>(num_keys), kMinBits);
    bits_per_key = std::min(bits_per_key, most_bits);
  }
  if (is_limited != nullptr) *is_limited = bits_per_key < options.bits_per_key;
  return filter::TableShape(options.format, {num_keys, bits_per_key, writer_.end_bytes(),
                                             MaxPayloadBytes(writer_.extension())});
}

filter::FilterShape RocksDBBitsBuilder::FittedToAllocation(uint64_t num_keys,
                                                           const filter::FilterShape& asked) const {
  if (!fills_allocations_ || num_keys == 0 || asked.num_blocks == 0 || max_filter_bytes_ != 0) {
    return asked;
  }
  const uint64_t asked_bytes = asked.payload_bytes() + writer_.tail_bytes();
  const uint64_t usable = std::min(FilterBytesInAllocation(asked_bytes), kMaxFilterBytes);
  // More than a third more would gain little for the disk space; RocksDB has the same limit.
  if (usable <= asked_bytes || usable > asked_bytes / 3 * 4) return asked;
  const Format format = writer_.options().format;
  const uint64_t max_payload = usable - writer_.tail_bytes();
  const double bits = std::min(8 * static_cast<double>(max_payload) / static_cast<double>(num_keys),
                               AllowedBitsPerKey(format).max);
  const filter::FilterShape shape =
      filter::TableShape(format, {num_keys, bits, writer_.end_bytes(), max_payload});
  const uint64_t payload_bytes = shape.payload_bytes();
  return payload_bytes > asked.payload_bytes() && payload_bytes <= max_payload ? shape : asked;
}

// Aligned to a cache line: 32 bytes after one, where the compiler had put it, AddKey and Finish of
// a blocked filter took 1.08 times as long on Emerald Rapids.
__attribute__((flatten, aligned(64))) void RocksDBBitsBuilder::AddKey(const Slice& key) noexcept {
  writer_.AddKey(key.ToStringView());
}

void RocksDBBitsBuilder::AddKeyAndAlt(const Slice& key, const Slice& alt) noexcept {
  writer_.AddKeyAndPrefix(key.ToStringView(), alt.ToStringView());
}

size_t RocksDBBitsBuilder::EstimateEntriesAdded() noexcept {
  const size_t num_entries = writer_.num_keys();
  return num_entries == 0 && writer_.fault() != filter::WriterFault::kNone ? 1 : num_entries;
}

ROCKSDB_NAMESPACE::Slice RocksDBBitsBuilder::Build(std::unique_ptr<const char[]>* buf,
                                                   Status* status, Facts* facts) {
  if (status != nullptr) *status = Status::OK();
  if (!is_partition_ && EstimateEntriesAdded() == 0) return Slice();
  const uint64_t num_keys = writer_.num_keys();
  filter::FilterShape shape = ShapeFor(num_keys, &facts->was_limited);
  const bool is_useless = writer_.fault() != filter::WriterFault::kNone;
  shape = is_useless ? filter::FilterShape() : FittedToAllocation(num_keys, shape);
  const uint64_t num_bytes = shape.payload_bytes() + writer_.tail_bytes();
  FilterMemory memory(num_bytes, fills_allocations_);
  const filter::WriterFault fault = writer_.FinishTo(shape, memory.bytes);
  if (fault == filter::WriterFault::kNoSeed) facts->reason = filter::UselessReason::kRandomSeed;
  if (fault != filter::WriterFault::kNone) {
    ReportUselessFilter(log_, "a RocksDB filter matches everything", filter::FaultText(fault));
  }
  *buf = std::move(memory.buffer);
  return Slice(memory.bytes, static_cast<size_t>(num_bytes));
}

size_t RocksDBBitsBuilder::ApproximateNumEntries(size_t bytes) noexcept {
  const FilterOptions& options = writer_.options();
  const uint64_t end_bytes = writer_.end_bytes();
  const auto filter_bytes = [&](uint64_t num_keys) {
    const filter::ShapeRequest request = {num_keys, options.bits_per_key, end_bytes};
    return filter::TableShape(options.format, request).payload_bytes() + end_bytes;
  };
  const uint64_t most_bytes = std::max<uint64_t>(bytes, filter_bytes(1));
  uint64_t fitting = 1;
  uint64_t too_many = uint64_t{1} << 63;
  while (too_many - fitting > 1) {
    const uint64_t middle = fitting + (too_many - fitting) / 2;
    (filter_bytes(middle) <= most_bytes ? fitting : too_many) = middle;
  }
  return ToSize(fitting);
}

size_t RocksDBBitsBuilder::CalculateSpace(size_t num_entries) noexcept {
  return ToSize(ShapeFor(num_entries).payload_bytes() + writer_.end_bytes());
}

double RocksDBBitsBuilder::EstimatedFpRate(size_t num_entries, size_t bytes) noexcept {
  if (num_entries == 0) return 0;
  if (bytes <= writer_.end_bytes()) return 1;
  filter::FilterShape shape = ShapeFor(num_entries);
  shape.num_blocks = std::max<uint64_t>(1, (bytes - writer_.end_bytes()) / shape.block_bytes);
  return filter::ExactShapeRate(shape, num_entries);
}

}  // namespace bloomline
