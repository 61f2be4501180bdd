#include "src/engines/rocksdb/builder/bits_builder.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>

#include "src/engines/rocksdb/builder/useless_filter.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::engine {
namespace {

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

Slice CountedBuilder::Finish(std::unique_ptr<const char[]>* buf, Status* status) noexcept {
  using Steady = std::chrono::steady_clock;
  using filter::Count;
  const size_t num_keys = EstimateEntriesAdded();
  const Steady::time_point start = Steady::now();
  BuildFacts facts;
  const Slice built = Build(buf, status, &facts);
  const std::chrono::nanoseconds time = Steady::now() - start;
  if (counts_ == nullptr || built.empty()) return built;  // a file without keys gets no filter
  counts_->Add(Count::kBuilt, 1);
  counts_->Add(Count::kKeysBuilt, num_keys);
  counts_->Add(Count::kBytesBuilt, built.size());
  counts_->Add(Count::kNanosecondsBuilt, static_cast<uint64_t>(time.count()));
  if (facts.was_limited) counts_->Add(Count::kLimited, 1, filter::FilterLimit::kMaxFilterBytes);
  // A partition without entries may match everything without being faulty.
  if (num_keys != 0 && MatchesEverything(built.ToStringView())) {
    const bool is_damaged = status != nullptr && !status->ok();
    counts_->Add(Count::kBuiltUseless, 1,
                 is_damaged ? filter::UselessReason::kDamaged : facts.reason);
  } else {
    RememberOrigin(built.ToStringView(), *counts_);
  }
  return built;
}

RocksDBBitsBuilder::RocksDBBitsBuilder(const FilterOptions& options, Logger* log,
                                       filter::FilterCounts* counts)
    : CountedBuilder(counts),
      writer_(options, filter::PlanRow(options.format)),
      sizes_{options.format, options.bits_per_key},
      log_(log) {}

void RocksDBBitsBuilder::UseTableOptions(const BlockBasedTableOptions& options) {
  is_partition_ = options.partition_filters;
  sizes_.fills_allocations = options.optimize_filters_for_memory;
}

// The function is aligned to a cache line. Where the compiler had put it, 32 bytes after one,
// AddKey and Finish of a blocked filter took 1.08 times as long on Emerald Rapids.
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

Slice RocksDBBitsBuilder::Build(std::unique_ptr<const char[]>* buf, Status* status,
                                BuildFacts* facts) {
  if (status != nullptr) *status = Status::OK();
  if (!is_partition_ && EstimateEntriesAdded() == 0) return Slice();
  const uint64_t num_keys = writer_.num_keys();
  facts->was_limited = plan_.BitsPerKey(num_keys) < sizes_.bits_per_key;
  const bool is_useless = writer_.fault() != filter::WriterFault::kNone;
  const filter::FilterShape shape =
      is_useless ? filter::FilterShape() : plan_.FittedShape(num_keys);
  const uint64_t num_bytes = shape.payload_bytes() + filter::kTrailerBytes;
  FilterMemory memory(num_bytes, sizes_.fills_allocations);
  const filter::WriterFault fault = writer_.FinishTo(shape, memory.bytes);
  if (fault == filter::WriterFault::kNoSeed) facts->reason = filter::UselessReason::kRandomSeed;
  if (fault != filter::WriterFault::kNone) {
    ReportUselessFilter(log_, "a RocksDB filter matches everything", filter::FaultText(fault));
  }
  *buf = std::move(memory.buffer);
  return Slice(memory.bytes, static_cast<size_t>(num_bytes));
}

size_t RocksDBBitsBuilder::ApproximateNumEntries(size_t bytes) noexcept {
  return ToSize(plan_.MostKeys(bytes));
}

size_t RocksDBBitsBuilder::CalculateSpace(size_t num_entries) noexcept {
  return ToSize(plan_.KeyBytes(num_entries));
}

double RocksDBBitsBuilder::EstimatedFpRate(size_t num_entries, size_t bytes) noexcept {
  return plan_.FalsePositiveRate(num_entries, bytes);
}

}  // namespace bloomline::engine
