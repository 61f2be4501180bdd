#include "src/engines/rocksdb/stock/stock_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/blocks.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

template <typename Reader>
class StockBitsReader final : public FilterBitsReader {
 public:
  StockBitsReader(const Reader& reader, bool is_large, filter::FilterCounts* counts,
                  size_t num_bytes)
      : reader_(reader),
        is_large_(is_large),
        count_(counts, filter::OpenedKind::kRocksDB, num_bytes) {}

  // Short keys take a path of their own, which saves fewer registers than hashing long keys does.
  __attribute__((flatten)) bool MayMatch(const Slice& entry) noexcept override {
    if (filter::IsSampled()) return SampledMayMatch(entry);
    if (entry.size() > stock::kMaxShortKeyBytes) return LongKeyMayMatch(entry);
    return reader_.MayMatch(Reader::ShortHash(entry.ToStringView()));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) noexcept override {
    constexpr int kBatchKeys = static_cast<int>(kernels::kBatchKeys);
    if (num_keys == 1) {
      may_match[0] = MayMatch(*keys[0]);
      return;
    }
    uint64_t hashes[kBatchKeys];
    for (int start = 0; start < num_keys; start += kBatchKeys) {
      const auto count = static_cast<size_t>(std::min(kBatchKeys, num_keys - start));
      if (is_large_) {
        HashAll<true>(count, keys + start, hashes);
      } else {
        HashAll<false>(count, keys + start, hashes);
      }
      reader_.MayMatchMany(count, hashes, may_match + start);
    }
    if (filter::IsSampled(num_keys)) AddSample(num_keys, may_match);
  }

 private:
  __attribute__((noinline)) bool SampledMayMatch(const Slice& entry) {
    const std::string_view key = entry.ToStringView();
    const bool may_match = reader_.MayMatch(
        key.size() > stock::kMaxShortKeyBytes ? Reader::Hash(key) : Reader::ShortHash(key));
    AddSample(1, &may_match);
    return may_match;
  }

  __attribute__((noinline)) void AddSample(int num_keys, const bool* may_match) {
    const filter::Sample sample = filter::TakeSample(num_keys);
    if (sample.weight == 0) return;
    filter::FilterCounts& counts = count_.counts();
    counts.AddAnswer(filter::Answers::kKeys, may_match[sample.index], sample.weight);
    if (!sample.has_random_hash) return;
    counts.AddAnswer(filter::Answers::kRandomHashes, reader_.MayMatch(sample.random_hash), 1);
  }

  __attribute__((noinline)) bool LongKeyMayMatch(const Slice& entry) const {
    return reader_.MayMatch(Reader::Hash(entry.ToStringView()));
  }

  template <bool kPrefetch>
  __attribute__((flatten)) void HashAll(size_t count, Slice** keys, uint64_t* hashes) const {
    for (size_t i = 0; i < count; ++i) {
      const std::string_view key = keys[i]->ToStringView();
      hashes[i] =
          key.size() > stock::kMaxShortKeyBytes ? Reader::Hash(key) : Reader::ShortHash(key);
      if (kPrefetch) reader_.Prefetch(hashes[i]);
    }
  }

  const Reader reader_;
  const bool is_large_;
  const filter::OpenFilterCount count_;
};

}  // namespace

FilterBitsReader* NewStockBitsReader(std::string_view filter, filter::FilterCounts* counts) {
  if (!stock::kHashesAsRocksDB) return nullptr;
  const stock::StockFilter stock = stock::DecodeStockFilter(filter);
  if (!stock.has_reader()) return nullptr;
  const bool is_large = stock.payload_bytes > kernels::kCachedBytes;
  return stock::WithReader(stock, kernels::ActiveKernel().stock,
                           [=](const auto& reader) -> FilterBitsReader* {
                             return new StockBitsReader(reader, is_large, counts, filter.size());
                           });
}

namespace {

// RocksDB's Bloom filters of a partition without entries, as its builders write them: the trailer
// of a Bloom filter, or that of a legacy one, which has 0 blocks then.
bool IsTrailerWithoutKeys(std::string_view filter) {
  if (filter.size() != stock::kTrailerBytes) return false;
  const auto kind = static_cast<signed char>(filter[0]);
  const int block_and_probes = filter[2];
  const bool is_bloom = kind == -1 && filter[1] == 0 && block_and_probes >= 1 &&
                        block_and_probes <= stock::kMaxLocalBloomProbes;
  const bool is_legacy = kind > 0 && filter[1] == 0 && filter[2] == 0;
  return (is_bloom || is_legacy) && filter[3] == 0 && filter[4] == 0;
}

}  // namespace

bool HasWrongLengths(std::string_view filter) {
  if (filter.size() <= stock::kTrailerBytes)
    return !filter.empty() && !IsTrailerWithoutKeys(filter);
  if (stock::DecodeStockFilter(filter).kind != stock::Kind::kUnknown) return false;
  const std::string_view trailer = filter.substr(filter.size() - stock::kTrailerBytes);
  const auto kind = static_cast<signed char>(trailer[0]);
  if (kind == -1) {  // Bloom filters of other variants and blocks may be known to RocksDB
    const int variant = trailer[1], block_and_probes = trailer[2];
    return filter.size() - stock::kTrailerBytes < kernels::kBlockBytes && variant == 0 &&
           block_and_probes >= 1 && block_and_probes <= stock::kMaxLocalBloomProbes;
  }
  return kind > 0 || kind == -2;
}

}  // namespace bloomline
