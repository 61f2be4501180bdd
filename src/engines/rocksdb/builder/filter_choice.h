// The filter of a file, in the terms that the folders for levels, memory and metrics share, so that
// they need not know each other.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_FILTER_CHOICE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_FILTER_CHOICE_H_

#include "bloomline/filter_options.h"

namespace bloomline::engine {

struct FilterChoice {
  Format format;
  double bits_per_key;  // 0: no filter
};

// Limits of memory leave a filter at least this many bits per key, unless the options have fewer.
constexpr double kMinBits = 3;

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_FILTER_CHOICE_H_
