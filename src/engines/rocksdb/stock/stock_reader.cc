#include "src/engines/rocksdb/stock/stock_reader.h"

#include <cstddef>
#include <cstdint>

#include "src/engines/rocksdb/bits/counted_reader.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

// One of stock/readers.h.
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

}  // namespace

FilterBitsReader* NewStockBitsReader(std::string_view filter, filter::FilterCounts* counts) {
  if (!stock::kHashesAsRocksDB) return nullptr;
  const stock::StockFilter stock = stock::DecodeStockFilter(filter);
  if (!stock.has_reader()) return nullptr;
  const bool is_large = stock.payload_bytes > kernels::kCachedBytes;
  return stock::WithReader(stock, kernels::ActiveKernel().stock,
                           [=](const auto& reader) -> FilterBitsReader* {
                             return new CountedReader(StockQuery(reader), is_large, counts,
                                                      filter::OpenedKind::kRocksDB, filter.size());
                           });
}

namespace {

// The Bloom filters that RocksDB's builders write for a partition without entries: the trailer of a
// Bloom filter, or that of a legacy one, which then has 0 blocks.
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
