// What happens if a filter cannot be made: it matches everything, and the reason is reported.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_USELESS_FILTER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_USELESS_FILTER_H_

#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {
class Logger;
}

namespace bloomline::engine {

// Reports that `what` happened because of `reason`: in `log`, which may be null, and once per
// process on stderr. RocksDB has no other channel: any status but Corruption ends its debug build.
// Needs no memory.
void ReportUselessFilter(ROCKSDB_NAMESPACE::Logger* log, const char* what, const char* reason);

// stock::kAlwaysMatchBytes for RocksDB.
ROCKSDB_NAMESPACE::Slice AlwaysMatch();

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_USELESS_FILTER_H_
