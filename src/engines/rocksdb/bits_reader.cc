#include "src/engines/rocksdb/bits_reader.h"

#include <algorithm>
#include <new>
#include <type_traits>

#include "src/filter/format/batch_hasher.h"
#include "src/filter/format/hash.h"
#include "src/filter/format/layout.h"
#include "src/filter/format/trailer.h"
#include "src/filter/kernels/blocked/blocks.h"
#include "src/filter/kernels/kernel.h"
#include "src/filter/query/hash_query.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

// Reader of the layouts that bloomline writes: flat, blocked and compact. It chooses the kernel's
// functions once; no query branches on the layout.
template <typename Filter>
class LayoutReader : public FilterBitsReader {
 public:
  using MayMatchOne = bool (*)(const Filter& filter, uint64_t hash);
  using MayMatchMany = void (*)(const Filter& filter, size_t n, const uint64_t* hashes,
                                bool* may_match);

  LayoutReader(const Filter& filter, const filter::Payload& payload, MayMatchOne may_match,
               MayMatchMany may_match_many)
      : filter_(filter),
        may_match_(may_match),
        may_match_many_(may_match_many),
        hasher_(payload.seed),
        batch_hasher_(payload.seed, kernels::ActiveKernel().hash),
        block_bytes_(payload.block_bytes),
        prefetches_(payload.payload_bytes() > kernels::kCachedBytes) {}

  // Short keys take a path of their own, which saves fewer registers than hashing long keys does.
  __attribute__((flatten)) bool MayMatch(const Slice& entry) override {
    if (entry.size() > filter::kMaxShortKeyBytes) return LongKeyMayMatch(entry);
    return may_match_(filter_, hasher_.ShortKey(entry.ToStringView()));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    constexpr int kBatchKeys = static_cast<int>(kernels::kBatchKeys);
    if (num_keys == 1) {  // frequent, and faster without memory for hashes
      may_match[0] = MayMatch(*keys[0]);
      return;
    }
    uint64_t hashes[kBatchKeys];
    for (int start = 0; start < num_keys; start += kBatchKeys) {
      const auto count = static_cast<size_t>(std::min(kBatchKeys, num_keys - start));
      if (prefetches_) {
        HashAll<true>(count, keys + start, hashes);
      } else {
        HashAll<false>(count, keys + start, hashes);
      }
      may_match_many_(filter_, count, hashes, may_match + start);
    }
  }

 private:
  __attribute__((flatten, noinline)) bool LongKeyMayMatch(const Slice& entry) const {
    return may_match_(filter_, hasher_.LongKey(entry.ToStringView()));
  }

  template <bool kPrefetch>
  __attribute__((flatten)) void HashAll(size_t count, Slice** keys, uint64_t* hashes) const {
    const Filter filter = filter_;
    constexpr bool kBlocked = std::is_same_v<Filter, kernels::BlockedFilter>;
    constexpr bool kFlat = std::is_same_v<Filter, kernels::FlatFilter>;
    [[maybe_unused]] const uint64_t block_bytes = kBlocked ? kernels::kBlockBytes : block_bytes_;
    const auto prefetch = [=]([[maybe_unused]] uint64_t hash) {
      // A flat filter has no place where all bits of a key lie.
      if constexpr (kPrefetch && !kFlat) {
        kernels::PrefetchBlock(filter.data, filter.num_blocks, block_bytes, hash);
      }
    };
    const auto key_at = [=](size_t i) { return keys[i]->ToStringView(); };
    if (batch_hasher_.Hash(count, key_at, hashes)) {
      for (size_t i = 0; i < count; ++i) prefetch(hashes[i]);
      return;
    }
    const filter::KeyHasher hasher = hasher_;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t hash = hasher(key_at(i));
      hashes[i] = hash;
      prefetch(hash);
    }
  }

  const Filter filter_;
  const MayMatchOne may_match_;
  const MayMatchMany may_match_many_;
  const filter::KeyHasher hasher_;
  const filter::BatchHasher batch_hasher_;
  const uint32_t block_bytes_;
  const bool prefetches_;
};

// Reader of everything else: no keys, bytes that are not a filter.
class AnyReader : public FilterBitsReader {
 public:
  AnyReader(const filter::Payload& payload, const kernels::Kernel& kernel)
      : payload_(payload), kernel_(kernel) {}

  bool MayMatch(const Slice& entry) override {
    return filter::HashMayMatch(payload_, kernel_,
                                filter::Hash64(entry.ToStringView(), payload_.seed));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    for (int i = 0; i < num_keys; ++i) may_match[i] = MayMatch(*keys[i]);
  }

 private:
  const filter::Payload payload_;
  const kernels::Kernel& kernel_;
};

void FlatMayMatchMany(const kernels::FlatFilter& filter, size_t n, const uint64_t* hashes,
                      bool* may_match) {
  const auto may_match_one = kernels::ActiveKernel().flat.may_match;
  for (size_t i = 0; i < n; ++i) may_match[i] = may_match_one(filter, hashes[i]);
}

}  // namespace

FilterBitsReader* NewRocksDBBitsReader(std::string_view filter) {
  return NewRocksDBBitsReader(filter::DecodeStandalone(filter));
}

FilterBitsReader* NewRocksDBBitsReader(const filter::Payload& payload) {
  const kernels::Kernel& kernel = kernels::ActiveKernel();
  if (payload.num_blocks != 0 && payload.layout == filter::Layout::kBlocked) {
    return new (std::nothrow) LayoutReader<kernels::BlockedFilter>(
        filter::AsBlocked(payload, payload.data), payload,
        kernel.blocked.may_match_for(payload.num_probes), kernel.blocked.may_match_many);
  }
  if (payload.num_blocks != 0 && payload.layout == filter::Layout::kCompact) {
    return new (std::nothrow)
        LayoutReader<kernels::CompactFilter>(filter::AsCompact(payload, payload.data), payload,
                                             kernel.compact.may_match[payload.arrangement],
                                             kernel.compact.may_match_many[payload.arrangement]);
  }
  if (payload.num_blocks != 0 && payload.layout == filter::Layout::kFlat) {
    return new (std::nothrow) LayoutReader<kernels::FlatFilter>(
        filter::AsFlat(payload, payload.data), payload, kernel.flat.may_match, FlatMayMatchMany);
  }
  return new (std::nothrow) AnyReader(payload, kernel);
}

}  // namespace bloomline
