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

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline::stock {

// What Bloom and Ribbon readers share.
template <typename View, typename Kernel>
class KernelReader {
 public:
  static uint64_t Hash(std::string_view key) { return RocksDBHash64(key); }
  static uint64_t ShortHash(std::string_view key) { return ShortRocksDBHash64(key); }

  bool MayMatch(uint64_t hash) const { return may_match_(view_, hash); }
  void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const {
    may_match_many_(view_, n, hashes, may_match);
  }

 protected:
  KernelReader(const View& view, typename Kernel::MayMatch may_match, const Kernel& kernel)
      : view_(view), may_match_(may_match), may_match_many_(kernel.may_match_many) {}

  View view_;

 private:
  typename Kernel::MayMatch may_match_;
  decltype(Kernel::may_match_many) may_match_many_;
};

class BloomReader : public KernelReader<kernels::PayloadView, LocalBloomKernel> {
 public:
  BloomReader(const StockFilter& filter, const LocalBloomKernel& kernel)
      : KernelReader({filter.data, filter.num_blocks, filter.num_probes},
                     kernel.may_match_for(filter.num_probes), kernel) {}

  void Prefetch(uint64_t hash) const {
    const char* const block = LocalBloomBlock(view_, hash);
    __builtin_prefetch(block);
    __builtin_prefetch(block + kernels::kBlockBytes - 1);
  }
};

class RibbonReader : public KernelReader<RibbonView, RibbonKernel> {
 public:
  RibbonReader(const StockFilter& filter, const RibbonKernel& kernel)
      : KernelReader({filter.data, filter.ribbon, RibbonView::RawSeed(filter.ribbon_seed)},
                     kernel.may_match_for(filter.ribbon.columns), kernel) {}

  // MayMatchMany does it, because most of the work is to find out what to prefetch.
  static void Prefetch(uint64_t) {}
};

// ---- RocksDB's Bloom filter of format_version below 5, "LegacyBloom" (util/bloom_impl.h): the
// probes of a key lie in one block, whose size is that of a cache line of the machine that wrote
// it.

// hash % size for any 32-bit hash, without a division (Lemire, Kaser and Kurz, "Faster remainder by
// direct computation", 2019).
class Remainder {
 public:
  explicit Remainder(uint32_t size) : size_(size), reciprocal_(~uint64_t{0} / size + 1) {}
  uint64_t operator()(uint32_t hash) const {
    return kernels::ScaledTo(size_, reciprocal_ * hash);  // modulo 2^64
  }

 private:
  uint32_t size_;
  uint64_t reciprocal_;
};

// Double hashing with one hash of 32 bits, as in all older filters: h, h + d, h + 2d, ... mod 2^32.
// d is h rotated.
inline uint32_t Step(uint32_t hash) { return hash >> 17 | hash << 15; }

struct LegacyBloomReader {
  explicit LegacyBloomReader(const StockFilter& filter)
      : data(filter.data),
        num_blocks(static_cast<uint32_t>(filter.num_blocks)),
        num_probes(filter.num_probes),
        log2_block_bytes(__builtin_ctzll(filter.block_bytes)) {}

  const char* data;
  Remainder num_blocks;
  int num_probes;
  int log2_block_bytes;  // at most 28

  static uint64_t Hash(std::string_view key) { return filter::RocksDBHash32(key); }
  static uint64_t ShortHash(std::string_view key) { return filter::RocksDBHash32(key); }

  uint64_t BlockOffset(uint64_t hash) const {
    return num_blocks(static_cast<uint32_t>(hash)) << log2_block_bytes;
  }
  void Prefetch(uint64_t hash) const {
    const char* const block = data + BlockOffset(hash);
    __builtin_prefetch(block);
    __builtin_prefetch(block + (uint64_t{1} << log2_block_bytes) - 1);
  }
  bool MayMatch(uint64_t hash) const {
    const char* const block = data + BlockOffset(hash);
    const uint32_t mask = (uint32_t{1} << (log2_block_bytes + 3)) - 1;
    uint32_t h = static_cast<uint32_t>(hash);
    const uint32_t step = Step(h);
    for (int i = 0; i < num_probes; ++i, h += step) {
      if (!kernels::TestBit(block, h & mask)) return false;
    }
    return true;
  }
};

// Readers without MayMatchMany query one key after the other.
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
  if (filter.kind == StockKind::kBloom) return f(BloomReader(filter, kernel.local_bloom));
  if (filter.kind == StockKind::kRibbon) return f(RibbonReader(filter, kernel.ribbon));
  return f(OneByOne(LegacyBloomReader(filter)));
}

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_READERS_H_
