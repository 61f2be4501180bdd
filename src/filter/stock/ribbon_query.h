// What the kernels of Ribbon queries share. Each has its own `Simd`:
//
//   bool Matches(const RibbonKey& key, uint32_t columns)   those of the filter's shape
//
// A .cc file defines BLOOMLINE_RIBBON_TARGET, the attribute of its functions, before this file.
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_QUERY_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_QUERY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/unrolled.h"
#include "src/filter/stock/ribbon.h"

namespace bloomline::stock {

// Columns that a kernel looks at before it decides. With fewer, its branch would be mispredicted
// too often, which costs 15 to 20 cycles.
constexpr uint32_t kColumnsAtOnce = 8;

// Below, Run<K> is for K columns; K = 0: as many as the filter's shape has.

struct PrefetchKeys {
  template <int K>
  static void Run(const RibbonView& caller_filter, size_t n, const uint64_t* hashes,
                  RibbonKey* keys) {
    const RibbonView filter = caller_filter;  // the keys could alias the caller's
    const uint32_t columns = K == 0 ? filter.shape.columns : K;
    for (size_t i = 0; i < n; ++i) {
      keys[i] = RibbonKey(filter, columns, hashes[i]);
      keys[i].Prefetch(columns);
    }
  }
};

template <typename Simd>
struct QueryOne {
  template <int K>
  BLOOMLINE_RIBBON_TARGET static bool Run(const kernels::PayloadView& view, uint64_t hash) {
    const RibbonView filter(view);
    const uint32_t columns = K == 0 ? filter.shape.columns : K;
    return Simd::Matches(RibbonKey(filter, columns, hash), columns);
  }
};

// The key of an item of a batch: a hash, or already the key.
BLOOMLINE_ALWAYS_INLINE RibbonKey KeyOf(const RibbonView& filter, uint32_t columns, uint64_t hash) {
  return {filter, columns, hash};
}
BLOOMLINE_ALWAYS_INLINE RibbonKey KeyOf(const RibbonView&, uint32_t, const RibbonKey& key) {
  return key;
}

template <typename Simd, typename Item>
struct QueryMany {
  template <int K>
  BLOOMLINE_RIBBON_TARGET static void Run(const RibbonView& caller_filter, size_t n,
                                          const Item* items, bool* may_match) {
    const RibbonView filter = caller_filter;  // the answers could alias the caller's
    const uint32_t columns = K == 0 ? filter.shape.columns : K;
    for (size_t i = 0; i < n; ++i) {
      may_match[i] = Simd::Matches(KeyOf(filter, columns, items[i]), columns);
    }
  }
};

// A batch. Making its keys once, for prefetching and for the query, takes 0.85 of the time. But a
// small filter needs no prefetching, and through memory its keys take 1.2 times as long (Intel,
// AVX-512, 7 columns).
template <typename Simd>
void QueryBatches(const kernels::PayloadView& view, size_t n, const uint64_t* hashes,
                  bool* may_match) {
  const RibbonView filter(view);
  const int k = static_cast<int>(filter.shape.columns);
  if (!filter.shape.is_large()) {
    kernels::RunUnrolled<QueryMany<Simd, uint64_t>>(k, filter, n, hashes, may_match);
    return;
  }
  RibbonKey keys[kernels::kBatchKeys];
  RibbonKey* const first = keys;
  for (size_t begin = 0; begin < n; begin += kernels::kBatchKeys) {
    const size_t size = std::min(n - begin, kernels::kBatchKeys);
    kernels::RunUnrolled<PrefetchKeys>(k, filter, size, hashes + begin, first);
    kernels::RunUnrolled<QueryMany<Simd, RibbonKey>>(k, filter, size, first, may_match + begin);
  }
}

// `Simd` is a type of its own in each file: GCC 12 gives functions of a template in an unnamed
// namespace one name in all files.
template <typename Simd>
RibbonKernel MakeRibbonKernel() {
  return {[](uint32_t columns) -> RibbonKernel::MayMatch {
            return kernels::UnrolledFunction<QueryOne<Simd>>(static_cast<int>(columns));
          },
          QueryBatches<Simd>};
}

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_QUERY_H_
