// Queries of the filters that RocksDB writes. Hash, prefetch and probe are apart, so that the keys
// of a batch wait for memory together. A reader has
//
//   static uint64_t Hash(std::string_view key)
//   static uint64_t ShortHash(std::string_view key)   the same, of at most kMaxShortKeyBytes
//   void Prefetch(uint64_t hash) const
//   bool MayMatch(uint64_t hash) const
//   void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const
//
// for any hash. It borrows the filter's bytes.
#ifndef BLOOMLINE_FILTER_STOCK_READERS_H_
#define BLOOMLINE_FILTER_STOCK_READERS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/stock/legacy_bloom.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/stock/stock_kernel.h"

namespace bloomline::stock {

class BloomReader {
 public:
  BloomReader(const StockFilter& filter, const StockKernel& kernel)
      : view_{filter.data, filter.num_blocks, filter.num_probes},
        may_match_(kernel.local_bloom.may_match_for(filter.num_probes)),
        may_match_many_(kernel.local_bloom.may_match_many) {}

  static uint64_t Hash(std::string_view key) { return RocksDBHash64(key); }
  static uint64_t ShortHash(std::string_view key) { return ShortRocksDBHash64(key); }

  void Prefetch(uint64_t hash) const {
    const char* const block = LocalBloomBlock(view_, hash);
    __builtin_prefetch(block);
    __builtin_prefetch(block + kernels::kBlockBytes - 1);
  }
  bool MayMatch(uint64_t hash) const { return may_match_(view_, hash); }
  void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const {
    may_match_many_(view_, n, hashes, may_match);
  }

 private:
  kernels::PayloadView view_;
  LocalBloomKernel::MayMatch may_match_;
  decltype(LocalBloomKernel::may_match_many) may_match_many_;
};

class RibbonReader {
 public:
  RibbonReader(const StockFilter& filter, const StockKernel& kernel)
      : view_{filter.data, filter.ribbon, RibbonView::RawSeed(filter.ribbon_seed)},
        may_match_(kernel.ribbon.may_match_for(filter.ribbon.columns)),
        may_match_many_(kernel.ribbon.may_match_many) {}

  static uint64_t Hash(std::string_view key) { return RocksDBHash64(key); }
  static uint64_t ShortHash(std::string_view key) { return ShortRocksDBHash64(key); }

  // Prefetches the same number of lines for each key, because the number of its lines cannot be
  // foreseen. A prefetch behind the filter does no harm.
  void Prefetch(uint64_t hash) const {
    const char* const first = RibbonKey(view_, hash).here;
    const uint32_t num_bytes = 2 * view_.shape.columns * RibbonShape::kSegmentBytes;
    for (uint32_t i = 0; i < num_bytes; i += kernels::kBlockBytes) __builtin_prefetch(first + i);
    __builtin_prefetch(first + num_bytes - 1);
  }
  bool MayMatch(uint64_t hash) const { return may_match_(view_, hash); }
  void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const {
    may_match_many_(view_, n, hashes, may_match);
  }

 private:
  RibbonView view_;
  RibbonKernel::MayMatch may_match_;
  decltype(RibbonKernel::may_match_many) may_match_many_;
};

// The other readers query one key after the other.
template <typename Reader>
struct OneByOne : Reader {
  explicit OneByOne(const Reader& reader) : Reader(reader) {}
  void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const {
    for (size_t i = 0; i < n; ++i) may_match[i] = this->MayMatch(hashes[i]);
  }
};

// Calls f(reader) for the reader of a filter that has_reader().
template <typename F>
auto WithReader(const StockFilter& filter, const StockKernel& kernel, F f) {
  if (filter.kind == Kind::kBloom) return f(BloomReader(filter, kernel));
  if (filter.kind == Kind::kRibbon) return f(RibbonReader(filter, kernel));
  const int log2_block_bytes = __builtin_ctzll(filter.block_bytes);
  return f(OneByOne(LegacyBloomReader{filter.data, Remainder(filter.num_blocks), filter.num_probes,
                                      log2_block_bytes}));
}

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_READERS_H_
