#ifndef BLOOMLINE_ROCKSDB_SLICE_VIEW_H_
#define BLOOMLINE_ROCKSDB_SLICE_VIEW_H_

#include <string_view>

#include "rocksdb/slice.h"

namespace bloomline {

inline std::string_view View(const ROCKSDB_NAMESPACE::Slice& slice) {
  return {slice.data(), slice.size()};
}

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_SLICE_VIEW_H_
