#include "src/engines/rocksdb/bits_builder.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>

#include "bloomline/sizing.h"
#include "rocksdb/env.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/filter/container/shapes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/hash_query.h"
#include "src/filter/layouts/layout.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/layouts/limits.h"
#include "src/filter/ranges/range_field.h"
#include "src/support/out_of_memory.h"

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

// Where memory is to be saved: alignment then costs 0.1 %.
constexpr uint64_t kAlignedFromBytes = 64 << 10;

constexpr char kMatchesEverything[] = "a RocksDB filter matches everything";

// Shapes of filters in RocksDB for a given number of keys.
class TableShapes : public ShapesBySize {
 public:
  // second_bytes: of the second payload, which the keys do not pay for. max_bytes: of a filter.
  TableShapes(Format format, uint64_t num_keys, uint64_t end_bytes, uint64_t second_bytes,
              uint64_t max_bytes)
      : ShapesBySize(end_bytes + second_bytes),
        format_(format),
        num_keys_(num_keys),
        second_bytes_(second_bytes),
        max_bytes_(std::min(max_bytes, kMaxFilterBytes)) {}

  filter::FilterShape Within(uint64_t bytes) const override {
    if (std::min(bytes, max_bytes_) <= end_bytes()) return {};
    const uint64_t max_payload = std::min(bytes, max_bytes_) - end_bytes();
    // Small sets do not count the trailer among what the bits per key pay for, others do.
    for (const uint64_t paid_bytes : {bytes - second_bytes_, max_payload}) {
      const double bits = 8 * static_cast<double>(paid_bytes) / static_cast<double>(num_keys_);
      const BitsPerKeyRange allowed = AllowedBitsPerKey(format_);
      if (bits < allowed.min) return {};
      const filter::FilterShape shape =
          filter::TableShape(format_, num_keys_, std::min(bits, allowed.max),
                             end_bytes() - second_bytes_, max_payload);
      if (shape.payload_bytes() <= max_payload) return shape;
    }
    return {};
  }

 private:
  const Format format_;
  const uint64_t num_keys_;
  const uint64_t second_bytes_;
  const uint64_t max_bytes_;
};

// The memory of a filter for RocksDB.
//
// Blocks that lie in one cache line each are filled faster, so the filter may begin up to 63 bytes
// behind the start of its memory; but a small one not where memory is to be saved. RocksDB 7.0.3,
// 7.8, 9.10, 10.9, 11.8 and 11.9 take the slice alone: for the file, for checksums, for sizes in
// table properties, and for MaybePostVerify; the block cache gets a copy. The memory itself they
// only keep and free. malloc_usable_size is called inside their own builders and for blocks that
// they have read, never for this memory.
struct FilterMemory {
  FilterMemory(uint64_t filter_bytes, bool saves_memory) {
    if (filter_bytes > SIZE_MAX - kCacheLineBytes) return;  // on a 32-bit CPU
    const bool is_aligned = !saves_memory || filter_bytes >= kAlignedFromBytes;
    num_bytes =
        static_cast<size_t>(filter_bytes + (is_aligned ? kCacheLineBytes - 1 : kBlockTrailerBytes));
    char* const start = new (std::nothrow) char[num_bytes];
    buffer.reset(start);
    if (start == nullptr) return;
    bytes = is_aligned ? start + -reinterpret_cast<uintptr_t>(start) % kCacheLineBytes : start;
  }

  size_t num_bytes;
  std::unique_ptr<const char[]> buffer;
  char* bytes = nullptr;  // where the filter begins; null: out of memory
};

// A Corruption with the result of text() as its message; without a message if out of memory.
template <typename Text>
ROCKSDB_NAMESPACE::Status Corruption(Text text) {
  using ROCKSDB_NAMESPACE::Status;
  return support::OrIfOutOfMemory(Status::Corruption(), [&] { return Status::Corruption(text()); });
}

}  // namespace

ROCKSDB_NAMESPACE::Slice AlwaysMatch() {
  static constexpr char kBytes[kStockTrailerBytes + 1] = {};
  return ROCKSDB_NAMESPACE::Slice(kBytes, sizeof(kBytes));
}

void ReportUselessFilter(ROCKSDB_NAMESPACE::Logger* log, const char* what, const char* reason) {
  static std::atomic<bool> is_reported{false};
  if (!is_reported.exchange(true)) {
    std::fprintf(stderr, "bloomline: %s: %s; RocksDB's log reports further ones\n", what, reason);
  }
  support::OrIfOutOfMemory(0, [&] {
    ROCKSDB_NAMESPACE::Warn(log, "bloomline: %s: %s", what, reason);
    return 0;
  });
}

RocksDBBitsBuilder::RocksDBBitsBuilder(const FilterOptions& options, bool verify,
                                       ROCKSDB_NAMESPACE::Logger* log)
    : writer_(options), verify_(verify), log_(log) {
  if (verify) writer_.KeepChecksum();
}

void RocksDBBitsBuilder::UseTableOptions(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& options,
                                         std::shared_ptr<RoundingBalance> balance) {
  is_partition_ = options.partition_filters;
  if (options.optimize_filters_for_memory) balance_ = std::move(balance);
  std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache = ChargedCache(options);
  if (cache == nullptr) return;
  charge_.ChargeTo(std::move(cache));
  writer_.SetObserver(&charge_);
}

double RocksDBBitsBuilder::BitsPerKeyOf(uint64_t num_keys) const {
  const double bits_per_key = writer_.options().bits_per_key;
  if (max_filter_bytes_ == 0 || num_keys == 0) return bits_per_key;
  // The entries for ranges, and what whole blocks may add; keys pay for the rest.
  const uint64_t others = writer_.tail_bytes() - writer_.end_bytes() + kCacheLineBytes;
  const double key_bytes =
      static_cast<double>(max_filter_bytes_ - std::min(others, max_filter_bytes_));
  return std::min(bits_per_key, std::max(8 * key_bytes / static_cast<double>(num_keys), kMinBits));
}

filter::FilterShape RocksDBBitsBuilder::ShapeOf(uint64_t num_keys) const {
  return filter::TableShape(writer_.options().format, num_keys, BitsPerKeyOf(num_keys),
                            writer_.end_bytes(), MaxPayloadBytes(writer_.extension()));
}

filter::FilterShape RocksDBBitsBuilder::ChooseShape() const {
  if (writer_.MatchesEverything()) return {};
  const filter::FilterShape asked = ShapeOf(writer_.num_keys());
  if (balance_ == nullptr) return asked;
  const FilterOptions& options = writer_.options();
  const uint64_t second_bytes = writer_.tail_bytes() - writer_.end_bytes();
  const TableShapes shapes(options.format, writer_.num_keys(), writer_.end_bytes(), second_bytes,
                           max_filter_bytes_ == 0 ? kMaxFilterBytes : max_filter_bytes_);
  // Small sets may take more than their bits per key, for their trailer.
  const bool is_small = writer_.num_keys() <= filter::kMaxFlatTableKeys;
  const double paid =
      static_cast<double>(writer_.num_keys()) * BitsPerKeyOf(writer_.num_keys()) / 8;
  const uint64_t asked_bytes = shapes.SizeOf(asked);
  // kMinBits take more than the limit.
  if (max_filter_bytes_ != 0 && asked_bytes > max_filter_bytes_) return asked;
  const uint64_t paid_bytes =
      is_small ? asked_bytes : static_cast<uint64_t>(std::ceil(paid)) + second_bytes;
  const filter::FilterShape fitted = FitAllocation(shapes, asked_bytes, paid_bytes, balance_.get());
  return fitted.num_blocks == 0 ? asked : fitted;
}

// At the beginning of a cache line: where the compiler had put it, 32 bytes after one, AddKey and
// Finish of a blocked filter took 1.08 times as long on Emerald Rapids.
__attribute__((flatten, aligned(64))) void RocksDBBitsBuilder::AddKey(const Slice& key) {
  writer_.AddKey(key.ToStringView());
}

void RocksDBBitsBuilder::AddKeyAndAlt(const Slice& key, const Slice& alt) {
  writer_.AddKeyAndPrefix(key.ToStringView(), alt.ToStringView());
}

size_t RocksDBBitsBuilder::EstimateEntriesAdded() {
  const size_t num_entries = writer_.num_keys();
  return num_entries == 0 && writer_.has_given_up() ? 1 : num_entries;
}

ROCKSDB_NAMESPACE::Slice RocksDBBitsBuilder::Finish(std::unique_ptr<const char[]>* buf) {
  return Finish(buf, nullptr);
}

ROCKSDB_NAMESPACE::Slice RocksDBBitsBuilder::Finish(std::unique_ptr<const char[]>* buf,
                                                    Status* status) {
  if (status != nullptr) *status = Status::OK();
  unverified_.Clear();
  was_limited_ = false;
  const bool matches_everything = writer_.MatchesEverything();
  if (!is_partition_ && !matches_everything && EstimateEntriesAdded() == 0) return Slice();
  if (verify_ && !writer_.HashesAreIntact()) {
    if (status != nullptr) {
      *status = Corruption([] {
        return std::string(
            "bloomline: Filter's hash entries checksum mismatched: a key's hash changed in memory "
            "before the filter was built");
      });
    }
    return GiveUp();
  }
  const filter::FilterShape shape = ChooseShape();
  was_limited_ = BitsPerKeyOf(writer_.num_keys()) < writer_.options().bits_per_key;
  if (was_limited_ && !has_reported_limit_) {
    has_reported_limit_ = true;  // one line for all partitions
    support::OrIfOutOfMemory(0, [&] {
      ROCKSDB_NAMESPACE::Info(log_,
                              "bloomline: max_filter_bytes=%" PRIu64 " gives a filter of %" PRIu64
                              " keys %.3g bits per key, not %.3g",
                              max_filter_bytes_, static_cast<uint64_t>(writer_.num_keys()),
                              BitsPerKeyOf(writer_.num_keys()), writer_.options().bits_per_key);
      return 0;
    });
  }
  const uint64_t num_bytes = shape.payload_bytes() + writer_.tail_bytes();
  FilterMemory memory(num_bytes, balance_ != nullptr);
  if (memory.bytes == nullptr) {
    ReportUselessFilter(log_, kMatchesEverything, support::kOutOfMemory.data());
    return GiveUp();
  }
  charge_.AddFilter(memory.num_bytes);
  writer_.FinishTo(shape, memory.bytes, 1, verify_ ? &unverified_ : nullptr);
  if (!verify_) charge_.ReleaseHashes();
  if (!writer_.error().empty()) {
    ReportUselessFilter(
        log_, matches_everything ? kMatchesEverything : "blocks of a filter match everything",
        writer_.error().c_str());
  }
  *buf = std::move(memory.buffer);
  return Slice(memory.bytes, static_cast<size_t>(num_bytes));
}

ROCKSDB_NAMESPACE::Slice RocksDBBitsBuilder::GiveUp() {
  writer_.Reset();
  charge_.ReleaseHashes();
  return AlwaysMatch();
}

ROCKSDB_NAMESPACE::Status RocksDBBitsBuilder::MaybePostVerify(const Slice& filter) {
  const filter::Payload payload = filter::DecodeTrailer(filter.ToStringView());
  size_t lost = 0;
  size_t num_hashes = 0;
  uint64_t checksum = 0;
  unverified_.ForEach([&](uint64_t hash) {
    lost += filter::HashMayMatch(payload, kernels::ActiveKernel(), hash) ? 0 : 1;
    ++num_hashes;
    checksum ^= hash;
  });
  const size_t num_keys = unverified_.size();
  // Building moves hashes. One that changed then is in the filter as it is here, so no query
  // notices.
  const bool intact = num_hashes == num_keys && checksum == unverified_.checksum();
  unverified_.Clear();
  charge_.ReleaseHashes();
  if (lost == 0 && intact) return Status::OK();
  return Corruption([&] {
    if (lost == 0) {
      return std::string(
          "bloomline: Corrupted filter content: a key's hash changed in memory while the filter "
          "was built");
    }
    return "bloomline: Corrupted filter content: the finished filter lost " + std::to_string(lost) +
           " of " + std::to_string(num_keys) + " keys";
  });
}

size_t RocksDBBitsBuilder::ApproximateNumEntries(size_t bytes) {
  const FilterOptions& options = writer_.options();
  return filter::IsAllowed(options.format, options.bits_per_key)
             ? ToSize(filter::MaxTableKeys(options.format, options.bits_per_key, bytes,
                                           writer_.end_bytes()))
             : 1;
}

size_t RocksDBBitsBuilder::CalculateSpace(size_t num_entries) {
  const FilterOptions& options = writer_.options();
  if (num_entries == 0 || !filter::IsAllowed(options.format, options.bits_per_key)) {
    return ToSize(writer_.end_bytes());  // no keys, or a filter that matches everything
  }
  return ToSize(ShapeOf(num_entries).payload_bytes() + writer_.end_bytes());
}

double RocksDBBitsBuilder::EstimatedFpRate(size_t num_entries, size_t bytes) {
  if (num_entries == 0) return 0;
  const FilterOptions& options = writer_.options();
  if (bytes <= writer_.end_bytes() || !filter::IsAllowed(options.format, options.bits_per_key)) {
    return 1;
  }
  const filter::FilterShape shape = ShapeOf(num_entries);
  const double paid_bits = 8 * static_cast<double>(bytes - writer_.end_bytes());
  const double bits_per_key = paid_bits / static_cast<double>(num_entries);
  return filter::RowOf(shape.layout).rate(shape, bits_per_key);
}

}  // namespace bloomline
