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
#include "src/filter/container/policy_names.h"
#include "src/filter/container/table_bytes.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/open_query.h"

namespace bloomline::engine {
namespace {

using filter::OpenedKind;

// A reader that counts its answers to an OpenQuery. Some of the answers are sampled (sampling.h).
// Thread-safe.
template <typename Query>
class CountedReader final : public FilterBitsReader {
 public:
  // A filter of num_bytes bytes.
  CountedReader(const Query& query, filter::FilterCounts* counts, OpenedKind kind, size_t num_bytes)
      : query_(query), count_(counts, kind, num_bytes) {}

  // Short keys take a separate path, which saves fewer registers than hashing long keys does.
  // Nothing here throws; but with noexcept GCC calls the kernel instead of jumping to it: 6.2 ns
  // instead of 5.6 (Zen 5, blocked).
  __attribute__((flatten)) bool MayMatch(const Slice& entry) override {
    if (filter::IsSampled()) return SampledMayMatch(entry);
    if (entry.size() > filter::kMaxShortKeyBytes) return LongKeyMayMatch(entry);
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
      Slice** const batch = keys + start;
      const auto key_at = [=](size_t i) { return batch[i]->ToStringView(); };
      if (query_.is_large()) {
        query_.template HashMany<true>(count, key_at, hashes);
      } else {
        query_.template HashMany<false>(count, key_at, hashes);
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
        key.size() > filter::kMaxShortKeyBytes ? query_.LongHash(key) : query_.ShortHash(key));
    AddSample(1, &may_match);
    return may_match;
  }

  __attribute__((flatten, noinline)) bool LongKeyMayMatch(const Slice& entry) const {
    return query_.MayMatch(query_.LongHash(entry.ToStringView()));
  }

  const Query query_;
  const filter::OpenFilterCount count_;
};

OpenedKind KindOf(const filter::Payload& payload) {
  if (payload.always_matches()) return OpenedKind::kMatchesEverything;
  return filter::LayoutRowFor(payload.layout).read == nullptr ? OpenedKind::kBloomline
                                                              : OpenedKind::kRocksDB;
}

filter::UselessReason WhyUseless(const filter::Payload& payload, std::string_view filter) {
  if (payload.is_former_compact()) return filter::UselessReason::kFormerCompact;
  return MatchesEverything(filter) ? filter::UselessReason::kSaidByWriter
                                   : filter::UselessReason::kDamaged;
}

// A RocksDB whose hashes are others queries the filters that it wrote.
FilterBitsReader* NewReaderOfRocksDB(std::string_view filter, filter::FilterCounts* counts) {
  static const auto& builtin = *new auto(StockPolicyNamed(std::string(filter::kRocksDBName)));
  if (builtin == nullptr) return nullptr;
  counts->Add(filter::Count::kOpened, 1, OpenedKind::kRocksDB);
  return builtin->GetFilterBitsReader(Slice(filter.data(), filter.size()));
}

}  // namespace

FilterBitsReader* NewRocksDBBitsReader(std::string_view filter, filter::FilterCounts* counts,
                                       bool* is_former_compact) {
  filter::Payload payload = filter::DecodeTableBytes(filter);
  if (is_former_compact != nullptr) *is_former_compact = payload.is_former_compact();
  // A file without keys has a filter without bytes. RocksDB writes filters of 5 bytes, for
  // partitions without entries, whose keys MultiGet would take for missing.
  if (payload.has_no_keys() && !filter.empty()) payload = {};
  if (!stock::kHashesAsRocksDB && KindOf(payload) == OpenedKind::kRocksDB) {
    FilterBitsReader* const reader = NewReaderOfRocksDB(filter, counts);
    if (reader != nullptr) return reader;
    payload = {filter::FilterShape::Unknown()};
  }
  if (payload.always_matches() && filter.size() != stock::kMetadataBytes) {
    counts->Add(filter::Count::kOpenedUseless, 1, WhyUseless(payload, filter));
  }
  return filter::WithQuery(
      payload, kernels::ActiveKernel(), [&](const auto& query) -> FilterBitsReader* {
        return new CountedReader(query, counts, KindOf(payload), filter.size());
      });
}

}  // namespace bloomline::engine
