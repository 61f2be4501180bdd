// The filter of a file, in the terms that the folders for levels, memory and metrics share, so that
// they need not know each other.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BITS_FILTER_CHOICE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BITS_FILTER_CHOICE_H_

#include "bloomline/filter_options.h"

namespace bloomline {

struct FilterChoice {
  Format format;
  double bits_per_key;  // 0: no filter
};

// Limits of memory leave a filter at least this many bits per key, unless the options have fewer.
constexpr double kMinBits = 3;

// RocksDB's conventions below 1 bit per key (rocksdb/filter_policy.h): below 0.5 no filters are
// written, and 0.5 to 1 counts as 1. Normalized returns the options to validate and to build with.
constexpr double kNoFilterBelow = 0.5;

inline bool WritesFilters(const FilterOptions& options) {
  return options.bits_per_key >= kNoFilterBelow;
}

inline FilterOptions Normalized(FilterOptions options) {
  if (options.bits_per_key >= 0 && options.bits_per_key < kNoFilterBelow) {
    options.bits_per_key = FilterOptions().bits_per_key;  // valid, and not used
  } else if (options.bits_per_key >= kNoFilterBelow && options.bits_per_key < kMinBitsPerKey) {
    options.bits_per_key = kMinBitsPerKey;
  }
  return options;
}

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BITS_FILTER_CHOICE_H_
