#include "src/engines/rocksdb/stock/stock_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#include "src/filter/cpu/blocks.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/stock/readers.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

template <typename Reader>
class StockBitsReader final : public FilterBitsReader {
 public:
  StockBitsReader(const Reader& reader, bool is_large) : reader_(reader), is_large_(is_large) {}

  // Short keys take a path of their own, which saves fewer registers than hashing long keys does.
  __attribute__((flatten)) bool MayMatch(const Slice& entry) override {
    if (entry.size() > stock::kMaxShortKeyBytes) return LongKeyMayMatch(entry);
    return reader_.MayMatch(Reader::ShortHash(entry.ToStringView()));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
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
  }

 private:
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
};

}  // namespace

FilterBitsReader* NewStockBitsReader(std::string_view filter) {
  if (!stock::kHashesAsRocksDB) return nullptr;
  const stock::StockFilter stock = stock::DecodeStockFilter(filter);
  if (!stock.has_reader()) return nullptr;
  const bool is_large = stock.payload_bytes > kernels::kCachedBytes;
  return stock::WithReader(stock, kernels::ActiveKernel().stock,
                           [=](const auto& reader) -> FilterBitsReader* {
                             return new (std::nothrow) StockBitsReader(reader, is_large);
                           });
}

}  // namespace bloomline
