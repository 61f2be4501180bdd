// Every layout of a Bloom filter, for tests that hold for all of them.
#ifndef BLOOMLINE_TESTS_SUPPORT_BLOOM_LAYOUTS_H_
#define BLOOMLINE_TESTS_SUPPORT_BLOOM_LAYOUTS_H_

#include <cstdint>
#include <string_view>

#include "bloomline/bloom_filter.h"

namespace bloomline::tests {

constexpr BloomLayout kAllBloomLayouts[] = {BloomLayout::kBlocked, BloomLayout::kStandard,
                                            BloomLayout::kBlocked128, BloomLayout::kBlocked64};

inline const char* Name(BloomLayout layout) {
  switch (layout) {
    case BloomLayout::kBlocked:
      return "Blocked";
    case BloomLayout::kStandard:
      return "Standard";
    case BloomLayout::kBlocked128:
      return "Blocked128";
    case BloomLayout::kBlocked64:
      return "Blocked64";
  }
  return "none";
}

// The layout of a name in golden vectors, which begins in lower case.
inline BloomLayout LayoutOf(std::string_view name) {
  for (const BloomLayout layout : kAllBloomLayouts) {
    if (name.substr(1) == std::string_view(Name(layout)).substr(1)) return layout;
  }
  return static_cast<BloomLayout>(-1);
}

inline BloomFilterOptions ForCapacity(BloomLayout layout, uint64_t capacity, double rate) {
  return {capacity, rate, /*num_bits=*/0, /*num_probes=*/0, layout};
}

inline BloomFilterOptions ForBits(BloomLayout layout, uint64_t num_bits, int num_probes) {
  return {/*capacity=*/0, /*false_positive_rate=*/0.01, num_bits, num_probes, layout};
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_BLOOM_LAYOUTS_H_
