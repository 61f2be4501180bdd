// An open filter and the hash of its keys, inline.
#ifndef BLOOMLINE_FILTER_VIEW_OPEN_QUERY_H_
#define BLOOMLINE_FILTER_VIEW_OPEN_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/hash/batch_hasher.h"
#include "src/filter/stock/legacy_bloom.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::filter {

// A Hasher has
//
//   uint64_t ShortKey(std::string_view key) const    of at most kMaxShortKeyBytes
//   uint64_t LongKey(std::string_view key) const     of any size
//   bool AtOnce(size_t n, KeyAt key_at, uint64_t* hashes) const    false: hash one by one
//   static void Prefetch(const OpenFilter& filter, uint64_t hash)    always inlined (PrefetchBlock)
//   static bool MayMatch(const OpenFilter& filter, uint64_t hash)

// One function for all layouts with this hash.
struct ByPointer {
  BLOOMLINE_ALWAYS_INLINE static bool MayMatch(const OpenFilter& filter, uint64_t hash) {
    return filter.may_match(filter, hash);
  }
};

class SeededHasher : public ByPointer {
 public:
  SeededHasher(uint64_t seed, const kernels::Kernel& kernel)
      : hasher_(seed), batch_hasher_(seed, kernel.hash) {}
  uint64_t ShortKey(std::string_view key) const { return hasher_.ShortKey(key); }
  uint64_t LongKey(std::string_view key) const { return hasher_.LongKey(key); }
  template <typename KeyAt>
  __attribute__((always_inline)) bool AtOnce(size_t n, KeyAt key_at, uint64_t* hashes) const {
    return batch_hasher_.Hash(n, key_at, hashes);
  }
  BLOOMLINE_ALWAYS_INLINE static void Prefetch(const OpenFilter& filter, uint64_t hash) {
    kernels::PrefetchBlock(filter.data, filter.num_blocks, filter.block_bytes, hash);
  }

 private:
  KeyHasher hasher_;
  BatchHasher batch_hasher_;
};

struct RocksDBHasher : ByPointer {
  RocksDBHasher(uint64_t, const kernels::Kernel&) {}
  static uint64_t ShortKey(std::string_view key) { return stock::ShortRocksDBHash64(key); }
  static uint64_t LongKey(std::string_view key) { return stock::RocksDBHash64(key); }
  template <typename KeyAt>
  static bool AtOnce(size_t, KeyAt, uint64_t*) {
    return false;
  }
  BLOOMLINE_ALWAYS_INLINE static void Prefetch(const OpenFilter& filter, uint64_t hash) {
    const char* const block = stock::LocalBloomBlock(filter, hash);
    __builtin_prefetch(block);
    __builtin_prefetch(block + kernels::kBlockBytes - 1);
  }
};

struct LegacyHasher : RocksDBHasher {
  using RocksDBHasher::RocksDBHasher;
  static uint64_t ShortKey(std::string_view key) { return RocksDBHash32(key); }
  static uint64_t LongKey(std::string_view key) { return RocksDBHash32(key); }
  BLOOMLINE_ALWAYS_INLINE static void Prefetch(const OpenFilter& filter, uint64_t hash) {
    const char* const block = stock::LegacyBlock(filter, hash);
    __builtin_prefetch(block);
    __builtin_prefetch(block + filter.block_bytes - 1);
  }
  // One layout has this hash. A call would take 1.05 times as long.
  BLOOMLINE_ALWAYS_INLINE static bool MayMatch(const OpenFilter& filter, uint64_t hash) {
    return stock::LegacyMayMatch(filter, hash);
  }
};

template <typename Hasher>
class OpenQuery {
 public:
  OpenQuery(const Payload& payload, const kernels::Kernel& kernel)
      : filter_(Opened(payload, kernel)), hasher_(payload.seed, kernel) {}

  bool is_large() const { return filter_.is_large; }

  uint64_t ShortHash(std::string_view key) const { return hasher_.ShortKey(key); }
  uint64_t LongHash(std::string_view key) const { return hasher_.LongKey(key); }
  bool MayMatch(uint64_t hash) const { return Hasher::MayMatch(filter_, hash); }
  void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const {
    filter_.may_match_many(filter_, n, hashes, may_match);
  }

  // For up to kBatchKeys keys.
  template <bool kPrefetch, typename KeyAt>
  __attribute__((flatten)) void HashMany(size_t n, KeyAt key_at, uint64_t* hashes) const {
    const OpenFilter filter = filter_;  // the hashes could alias it
    const auto prefetch = [=]([[maybe_unused]] uint64_t hash) {
      if constexpr (kPrefetch) Hasher::Prefetch(filter, hash);
    };
    if (hasher_.AtOnce(n, key_at, hashes)) {
      for (size_t i = 0; i < n; ++i) prefetch(hashes[i]);
      return;
    }
    const Hasher hasher = hasher_;
    for (size_t i = 0; i < n; ++i) {
      const std::string_view key = key_at(i);
      const uint64_t hash =
          key.size() > kMaxShortKeyBytes ? hasher.LongKey(key) : hasher.ShortKey(key);
      hashes[i] = hash;
      prefetch(hash);
    }
  }

 private:
  const OpenFilter filter_;
  const Hasher hasher_;
};

// Calls f(OpenQuery) for a payload of one of RocksDB's tables.
template <typename F>
auto WithQuery(const Payload& payload, const kernels::Kernel& kernel, F f) {
  switch (LayoutRowFor(payload.layout).hash) {
    case HashFunction::kRocksDB64:
      return f(OpenQuery<RocksDBHasher>(payload, kernel));
    case HashFunction::kRocksDB32:
      return f(OpenQuery<LegacyHasher>(payload, kernel));
    case HashFunction::kXxh3:
    case HashFunction::kLevelDB32:
      break;
  }
  return f(OpenQuery<SeededHasher>(payload, kernel));
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_VIEW_OPEN_QUERY_H_
