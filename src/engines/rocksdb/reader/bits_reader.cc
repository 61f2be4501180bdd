#include "src/engines/rocksdb/reader/bits_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/container/policy_names.h"
#include "src/filter/container/trailer.h"
#include "src/filter/hash/batch_hasher.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::engine {
namespace {

// A reader that counts its answers. A Query has, for its filter,
//
//   static constexpr size_t kMaxShortKeyBytes
//   uint64_t ShortHash(std::string_view key) const    of at most kMaxShortKeyBytes
//   uint64_t LongHash(std::string_view key) const     of more
//   bool MayMatch(uint64_t hash) const
//   void HashMany<kPrefetch>(size_t n, Slice** keys, uint64_t* hashes) const
//   void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const
//
// for up to kBatchKeys keys. Some of the answers are sampled (sampling.h). Thread-safe.
template <typename Query>
class CountedReader final : public FilterBitsReader {
 public:
  // A filter of num_bytes bytes. `is_large`: prefetching pays.
  CountedReader(const Query& query, bool is_large, filter::FilterCounts* counts,
                filter::OpenedKind kind, size_t num_bytes)
      : query_(query), is_large_(is_large), count_(counts, kind, num_bytes) {}

  // Short keys take a separate path, which saves fewer registers than hashing long keys does.
  // Nothing here throws; but with noexcept GCC calls the kernel instead of jumping to it: 6.2 ns
  // instead of 5.6 (Zen 5, blocked).
  __attribute__((flatten)) bool MayMatch(const Slice& entry) override {
    if (filter::IsSampled()) return SampledMayMatch(entry);
    if (entry.size() > Query::kMaxShortKeyBytes) return LongKeyMayMatch(entry);
    return query_.MayMatch(query_.ShortHash(entry.ToStringView()));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) noexcept override {
    constexpr int kBatchKeys = static_cast<int>(kernels::kBatchKeys);
    if (num_keys == 1) {  // frequent, and faster without memory for hashes
      may_match[0] = MayMatch(*keys[0]);
      return;
    }
    uint64_t hashes[kBatchKeys];
    for (int start = 0; start < num_keys; start += kBatchKeys) {
      const auto count = static_cast<size_t>(std::min(kBatchKeys, num_keys - start));
      if (is_large_) {
        query_.template HashMany<true>(count, keys + start, hashes);
      } else {
        query_.template HashMany<false>(count, keys + start, hashes);
      }
      query_.MayMatchMany(count, hashes, may_match + start);
    }
    if (filter::IsSampled(num_keys)) AddSample(num_keys, may_match);
  }

 private:
  __attribute__((noinline)) void AddSample(int num_queries, const bool* may_match) const {
    const filter::Sample sample = filter::TakeSample(num_queries);
    if (sample.weight == 0) return;
    filter::FilterCounts& counts = count_.counts();
    counts.AddAnswer(filter::Answers::kKeys, may_match[sample.index], sample.weight);
    if (!sample.has_random_hash) return;
    counts.AddAnswer(filter::Answers::kRandomHashes, query_.MayMatch(sample.random_hash), 1);
  }

  __attribute__((noinline)) bool SampledMayMatch(const Slice& entry) const {
    const std::string_view key = entry.ToStringView();
    const bool may_match = query_.MayMatch(
        key.size() > Query::kMaxShortKeyBytes ? query_.LongHash(key) : query_.ShortHash(key));
    AddSample(1, &may_match);
    return may_match;
  }

  __attribute__((flatten, noinline)) bool LongKeyMayMatch(const Slice& entry) const {
    return query_.MayMatch(query_.LongHash(entry.ToStringView()));
  }

  const Query query_;
  const bool is_large_;
  const filter::OpenFilterCount count_;
};

// ---- bloomline's own filters.

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
    static const auto& builtin = *new auto(StockPolicyNamed(std::string(filter::kRocksDBName)));
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

FilterBitsReader* NewRocksDBBitsReader(std::string_view filter, filter::FilterCounts* counts) {
  if (!filter::HasTrailer(filter)) {
    FilterBitsReader* const reader = NewStockBitsReader(filter, counts);
    if (reader != nullptr) return reader;
  }
  // A file without keys has a filter without bytes.
  const filter::Payload payload = filter.empty()
                                      ? filter::Payload{filter::FilterShape::Blocked(0, 1)}
                                      : filter::DecodeTrailer(filter);
  // RocksDB writes filters of 5 bytes, for partitions without entries.
  if (payload.always_matches() && filter.size() != stock::kTrailerBytes) {
    counts->Add(filter::Count::kOpenedUseless, 1,
                MatchesEverything(filter) ? filter::UselessReason::kSaidByWriter
                                          : filter::UselessReason::kDamaged);
  }
  const TrailerQuery query(payload, kernels::ActiveKernel());
  return new CountedReader(query, query.is_large(), counts, query.kind(), filter.size());
}

}  // namespace bloomline::engine
