// RocksDB's Bloom filter of format_version below 5, "LegacyBloom" (util/bloom_impl.h): the probes
// of a key lie in one block, whose size is that of a cache line of the machine that wrote it.
#ifndef BLOOMLINE_FILTER_STOCK_LEGACY_BLOOM_H_
#define BLOOMLINE_FILTER_STOCK_LEGACY_BLOOM_H_

#include <cstdint>

#include "bloomline/inline_query.h"  // DetailedView
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::stock {

// hash % num_blocks for any 32-bit hash, without a division: by the reciprocal in wide_detail
// (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019). `detail` is log2 of
// block_bytes, at most 28.
inline void SetLegacyDetails(uint32_t block_bytes, kernels::DetailedView* view) {
  view->detail = static_cast<uint32_t>(__builtin_ctz(block_bytes));
  view->wide_detail = ~uint64_t{0} / view->num_blocks + 1;
}

BLOOMLINE_ALWAYS_INLINE const char* LegacyBlock(const kernels::DetailedView& view, uint64_t hash) {
  const uint64_t fraction = view.wide_detail * static_cast<uint32_t>(hash);  // modulo 2^64
  return view.data + (kernels::ScaledTo(view.num_blocks, fraction) << view.detail);
}

// Double hashing with one hash of 32 bits, as in all older filters: h, h + d, h + 2d, ... mod 2^32.
// d is h rotated. Calls f(bit of the block) until it returns false; returns whether it never did.
template <typename F>
bool LegacyProbes(const kernels::DetailedView& view, uint64_t hash, F f) {
  const uint32_t mask = (uint32_t{1} << (view.detail + 3)) - 1;
  uint32_t h = static_cast<uint32_t>(hash);
  const uint32_t step = h >> 17 | h << 15;
  for (int i = 0; i < view.num_probes; ++i, h += step) {
    if (!f(h & mask)) return false;
  }
  return true;
}

inline bool LegacyMayMatch(const kernels::DetailedView& view, uint64_t hash) {
  const char* const block = LegacyBlock(view, hash);
  return LegacyProbes(view, hash, [&](uint32_t bit) { return kernels::TestBit(block, bit); });
}

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_LEGACY_BLOOM_H_
