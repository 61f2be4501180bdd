// What happens if a filter cannot be made: it matches everything, and the reason is reported.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_USELESS_FILTER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_USELESS_FILTER_H_

#include <atomic>
#include <cstdio>

#include "rocksdb/env.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline::engine {

// Reports that `what` happened because of `reason`: in `log`, which may be null, and once per
// process on stderr. RocksDB has no other channel: any status but Corruption ends its debug build.
// Needs no memory.
inline void ReportUselessFilter(Logger* log, const char* what, const char* reason) {
  static std::atomic<bool> is_reported{false};
  if (!is_reported.exchange(true)) {
    std::fprintf(stderr, "bloomline: %s: %s; RocksDB's log reports further ones\n", what, reason);
  }
  ROCKSDB_NAMESPACE::Warn(log, "bloomline: %s: %s", what, reason);
}

// stock::kAlwaysMatchBytes for RocksDB.
inline Slice AlwaysMatch() {
  return {stock::kAlwaysMatchBytes.data(), stock::kAlwaysMatchBytes.size()};
}

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_USELESS_FILTER_H_
