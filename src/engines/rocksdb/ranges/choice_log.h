// What range_prefixes=auto chose, in RocksDB's LOG.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_CHOICE_LOG_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_CHOICE_LOG_H_

#include <cstdint>
#include <string_view>

#include "src/filter/ranges/range_field.h"

namespace ROCKSDB_NAMESPACE {
class Logger;
}

namespace bloomline {

// Logs that a file of the column family got these kinds, by a sample of num_ranges ranges; but not
// if the last line of this logger and family said so: a file has many filters if they are
// partitioned. `log` may be null. Thread-safe.
void LogRangeChoice(ROCKSDB_NAMESPACE::Logger* log, std::string_view column_family,
                    const filter::EntryKinds& kinds, uint64_t num_ranges);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_CHOICE_LOG_H_
