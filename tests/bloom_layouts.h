// Every layout of a Bloom filter, for tests that hold for all of them.
#ifndef BLOOMLINE_TESTS_BLOOM_LAYOUTS_H_
#define BLOOMLINE_TESTS_BLOOM_LAYOUTS_H_

#include "bloomline/bloom_filter.h"

namespace bloomline::tests {

constexpr BloomLayout kAllBloomLayouts[] = {BloomLayout::kBlocked, BloomLayout::kUnblocked,
                                            BloomLayout::kBlocked128, BloomLayout::kBlocked64};

inline const char* Name(BloomLayout layout) {
  switch (layout) {
    case BloomLayout::kBlocked:
      return "Blocked";
    case BloomLayout::kUnblocked:
      return "Unblocked";
    case BloomLayout::kBlocked128:
      return "Blocked128";
    case BloomLayout::kBlocked64:
      return "Blocked64";
  }
  return "";
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_BLOOM_LAYOUTS_H_
