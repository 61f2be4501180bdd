// The C handles of a Bloom filter and its options.
#ifndef BLOOMLINE_BINDINGS_C_BLOOM_FILTER_H_
#define BLOOMLINE_BINDINGS_C_BLOOM_FILTER_H_

#include <memory>

#include "bloomline/bloom_filter.h"

struct bloomline_bloomoptions_t {
  bloomline::BloomFilterOptions options;
};

// Exactly one of the two is not null. Callers get mapped filters as pointers to const, so functions
// that change a filter never see one.
struct bloomline_bloom_t {
  std::unique_ptr<bloomline::BloomFilter> filter;
  std::unique_ptr<bloomline::MappedBloomFilter> mapped = nullptr;

  const bloomline::BloomFilterBase& view() const {
    if (filter != nullptr) return *filter;
    return *mapped;
  }
};

#endif  // BLOOMLINE_BINDINGS_C_BLOOM_FILTER_H_
