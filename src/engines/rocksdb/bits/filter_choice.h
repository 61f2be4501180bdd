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
// written, for which this returns 0, and 0.5 to 1 counts as 1.
inline double BitsAsInRocksDB(double bits_per_key) {
  if (bits_per_key >= 0 && bits_per_key < 0.5) return 0;
  return bits_per_key >= 0.5 && bits_per_key < kMinBitsPerKey ? kMinBitsPerKey : bits_per_key;
}

inline bool WritesFilters(const FilterOptions& options) {
  return BitsAsInRocksDB(options.bits_per_key) > 0;
}

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BITS_FILTER_CHOICE_H_
