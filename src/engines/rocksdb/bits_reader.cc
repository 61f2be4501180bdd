#include "src/engines/rocksdb/bits_reader.h"

#include <memory>
#include <utility>

#include "src/engines/rocksdb/bits/counted_reader.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/container/trailer.h"
#include "src/filter/hash/batch_hasher.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/view/hash_query.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

class TrailerQuery {
 public:
  static constexpr size_t kMaxShortKeyBytes = filter::kMaxShortKeyBytes;

  TrailerQuery(const filter::Payload& payload, const kernels::Kernel& kernel)
      : filter_(filter::Opened(payload, kernel)),
        hasher_(payload.seed),
        batch_hasher_(payload.seed, kernel.hash) {}

  bool is_large() const { return filter_.is_large; }
  filter::OpenedKind kind() const {
    return filter_.always_matches ? filter::OpenedKind::kMatchesEverything
                                  : filter::OpenedKind::kBloomline;
  }

  uint64_t ShortHash(std::string_view key) const { return hasher_.ShortKey(key); }
  uint64_t LongHash(std::string_view key) const { return hasher_.LongKey(key); }
  bool MayMatch(uint64_t hash) const { return filter_.may_match(filter_, hash); }
  void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const {
    filter_.may_match_many(filter_, n, hashes, may_match);
  }

  template <bool kPrefetch>
  __attribute__((flatten)) void HashMany(size_t n, Slice** keys, uint64_t* hashes) const {
    const char* const data = filter_.data;
    const uint64_t num_blocks = filter_.num_blocks;
    const uint64_t block_bytes = filter_.block_bytes;
    const auto prefetch = [=]([[maybe_unused]] uint64_t hash) {
      if constexpr (kPrefetch) kernels::PrefetchBlock(data, num_blocks, block_bytes, hash);
    };
    const auto key_at = [=](size_t i) { return keys[i]->ToStringView(); };
    if (batch_hasher_.Hash(n, key_at, hashes)) {
      for (size_t i = 0; i < n; ++i) prefetch(hashes[i]);
      return;
    }
    const filter::KeyHasher hasher = hasher_;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t hash = hasher(key_at(i));
      hashes[i] = hash;
      prefetch(hash);
    }
  }

 private:
  const filter::OpenFilter filter_;
  const filter::KeyHasher hasher_;
  const filter::BatchHasher batch_hasher_;
};

class BitsReader : public CountedReader<TrailerQuery> {
 public:
  BitsReader(const TrailerQuery& query, filter::FilterCounts* counts, size_t num_bytes)
      : CountedReader(query, query.is_large(), counts, query.kind(), num_bytes) {}
};

// The reader of a filter with range entries.
class RangeBitsReader final : public BitsReader {
 public:
  RangeBitsReader(const filter::Payload& payload, const filter::Extension& fields,
                  const kernels::Kernel& kernel, filter::FilterCounts* counts, size_t num_bytes,
                  std::shared_ptr<filter::AskedByFamily> asked)
      : BitsReader(TrailerQuery(payload, kernel), counts, num_bytes),
        ranges_(filter::OpenedRanges(payload, fields, kernel)),
        asked_(std::move(asked)) {}

  using BitsReader::MayMatch;
  bool MayMatch(const Slice& entry) noexcept override {
    if (!entry.empty()) return BitsReader::MayMatch(entry);
    std::string_view begin;
    std::string_view end;
    if (!LastRange(entry, &begin, &end)) return true;
    if (asked_ != nullptr) asked_->AddSampled(ranges_.field.family, begin, end);
    const bool may_match = filter::RangeMayMatch(ranges_, begin, end);
    if (filter::IsSampled()) AddSample(filter::Answers::kRanges, 1, &may_match);
    return may_match;
  }

 private:
  const filter::OpenRanges ranges_;
  const std::shared_ptr<filter::AskedByFamily> asked_;
};

// ---- The filters that RocksDB itself wrote.

// A query of one of stock/readers.h.
template <typename Reader>
struct StockQuery : Reader {
  static constexpr size_t kMaxShortKeyBytes = stock::kMaxShortKeyBytes;

  explicit StockQuery(const Reader& reader) : Reader(reader) {}

  static uint64_t LongHash(std::string_view key) { return Reader::Hash(key); }

  template <bool kPrefetch>
  __attribute__((flatten)) void HashMany(size_t n, Slice** keys, uint64_t* hashes) const {
    for (size_t i = 0; i < n; ++i) {
      const std::string_view key = keys[i]->ToStringView();
      hashes[i] = key.size() > kMaxShortKeyBytes ? LongHash(key) : Reader::ShortHash(key);
      if (kPrefetch) this->Prefetch(hashes[i]);
    }
  }
};

// The reader of a filter without bloomline's trailer: the same answers as RocksDB's, with SIMD
// chosen at run time; packages of RocksDB are compiled without SIMD. Null if the filter is not
// understood, or has at most 5 bytes, as RocksDB writes for a partition without entries.
FilterBitsReader* NewStockBitsReader(std::string_view filter, filter::FilterCounts* counts) {
  const stock::StockFilter stock = stock::DecodeStockFilter(filter);
  if (!stock.has_reader()) return nullptr;
  if (!stock::kHashesAsRocksDB) {
    static const auto& builtin = *new auto(StockPolicyNamed(kBuiltinName));
    if (builtin == nullptr) return nullptr;
    counts->Add(filter::Count::kOpened, 1, filter::OpenedKind::kRocksDB);
    return builtin->GetFilterBitsReader(Slice(filter.data(), filter.size()));
  }
  const bool is_large = stock.payload_bytes > kernels::kCachedBytes;
  return stock::WithReader(stock, kernels::ActiveKernel().stock,
                           [=](const auto& reader) -> FilterBitsReader* {
                             return new CountedReader(StockQuery(reader), is_large, counts,
                                                      filter::OpenedKind::kRocksDB, filter.size());
                           });
}

}  // namespace

FilterBitsReader* NewRocksDBBitsReader(std::string_view filter, filter::FilterCounts* counts,
                                       std::shared_ptr<filter::AskedByFamily> asked) {
  if (!filter::HasTrailer(filter)) {
    FilterBitsReader* const reader = NewStockBitsReader(filter, counts);
    if (reader != nullptr) return reader;
  }
  filter::Extension fields;
  // A file without keys has a filter without bytes.
  const filter::Payload payload = filter.empty()
                                      ? filter::Payload{filter::FilterShape::Blocked(0, 1)}
                                      : filter::DecodeTrailer(filter, nullptr, &fields);
  const kernels::Kernel& kernel = kernels::ActiveKernel();
  if (fields.ranges.empty() || payload.always_matches()) {
    // RocksDB writes filters of 5 bytes, for partitions without entries.
    if (payload.always_matches() && filter.size() != kStockTrailerBytes) {
      counts->Add(filter::Count::kOpenedUseless, 1,
                  MatchesEverything(filter) ? filter::UselessReason::kSaidByWriter
                                            : filter::UselessReason::kDamaged);
    }
    return new BitsReader(TrailerQuery(payload, kernel), counts, filter.size());
  }
  return new RangeBitsReader(payload, fields, kernel, counts, filter.size(), std::move(asked));
}

}  // namespace bloomline
