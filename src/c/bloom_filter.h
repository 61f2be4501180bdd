// What the C handle of a Bloom filter stands for.
#ifndef BLOOMLINE_C_BLOOM_FILTER_H_
#define BLOOMLINE_C_BLOOM_FILTER_H_

#include <memory>

#include "bloomline/bloom_filter.h"

// One of the two. Mapped filters are handed out as pointers to const, so functions that change a
// filter never get one.
struct bloomline_bloom_t {
  std::unique_ptr<bloomline::BloomFilter> filter;
  std::unique_ptr<bloomline::MappedBloomFilter> mapped;

  const bloomline::BloomFilterBase& view() const {
    if (filter != nullptr) return *filter;
    return *mapped;
  }
};

#endif  // BLOOMLINE_C_BLOOM_FILTER_H_
