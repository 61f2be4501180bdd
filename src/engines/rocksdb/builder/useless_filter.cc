#include "src/engines/rocksdb/builder/useless_filter.h"

#include <atomic>
#include <cstdio>

#include "rocksdb/env.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline::engine {

ROCKSDB_NAMESPACE::Slice AlwaysMatch() {
  return ROCKSDB_NAMESPACE::Slice(stock::kAlwaysMatchBytes.data(), stock::kAlwaysMatchBytes.size());
}

void ReportUselessFilter(ROCKSDB_NAMESPACE::Logger* log, const char* what, const char* reason) {
  static std::atomic<bool> is_reported{false};
  if (!is_reported.exchange(true)) {
    std::fprintf(stderr, "bloomline: %s: %s; RocksDB's log reports further ones\n", what, reason);
  }
  ROCKSDB_NAMESPACE::Warn(log, "bloomline: %s: %s", what, reason);
}

}  // namespace bloomline::engine
