#include "src/engines/rocksdb/stock/stock_reader.h"

#include <cstddef>
#include <cstdint>

#include "src/engines/rocksdb/bits/counted_reader.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
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
  const stock::StockFilter stock = stock::DecodeStockFilter(filter);
  if (!stock.has_reader()) return nullptr;
  if (!stock::kHashesAsRocksDB) {
    static const auto& builtin = *new auto(StockPolicyNamed(kBuiltinName));
    counts->Add(filter::Count::kOpened, 1, filter::OpenedKind::kRocksDB);
    return builtin == nullptr ? nullptr
                              : builtin->GetFilterBitsReader(Slice(filter.data(), filter.size()));
  }
  const bool is_large = stock.payload_bytes > kernels::kCachedBytes;
  return stock::WithReader(stock, kernels::ActiveKernel().stock,
                           [=](const auto& reader) -> FilterBitsReader* {
                             return new CountedReader(StockQuery(reader), is_large, counts,
                                                      filter::OpenedKind::kRocksDB, filter.size());
                           });
}

}  // namespace bloomline
