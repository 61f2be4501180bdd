// Whether the filters and indexes of a RocksDB database fit in its block cache.
#ifndef BLOOMLINE_DB_ADVISE_CACHE_REMARK_H_
#define BLOOMLINE_DB_ADVISE_CACHE_REMARK_H_

#include <cstdint>
#include <string>

#include "src/db/advice/advice.h"
#include "src/db/inspect/inspection.h"

namespace bloomline::db {

// What lies in the block cache of a database, or would.
struct CacheUse {
  uint64_t capacity_bytes = 0;
  size_t column_families = 0;  // that share it: all of the database
  // Of all these: before compression, as the cache has them.
  uint64_t filter_bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t level0_bytes = 0;  // of filters and indexes
};

// `group` is that of one of the column families, in Inspection::groups.
CacheUse CacheUseOf(const Inputs& inputs, const Inspection& inspection, size_t group,
                    uint64_t capacity_bytes);

// The advice has its choices.
std::string CacheRemark(const CacheUse& use, const directory::ColumnFamily& family,
                        const Group& all, const advice::Advice& advice);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_CACHE_REMARK_H_
