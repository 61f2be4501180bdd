// Whether the filters and indexes of a RocksDB database fit in its block cache.
#ifndef BLOOMLINE_DB_ADVISE_CACHE_REMARK_H_
#define BLOOMLINE_DB_ADVISE_CACHE_REMARK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/db/advice/advice.h"
#include "src/db/inspect/inspection.h"

namespace bloomline::db {

// What lies in one block cache, or would.
struct CacheUse {
  uint64_t capacity_bytes = 0;
  std::string from;            // "LOG", "--block-cache"
  size_t column_families = 1;  // that share it
  // Of all these: before compression, as the cache has them.
  uint64_t filter_bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t level0_bytes = 0;  // of filters and indexes
};

// Of the cache of a column family. None: unknown, or not of RocksDB. block_cache_bytes: the size
// that the user names; one cache for all column families of a database then.
std::optional<CacheUse> CacheUseOf(const Inputs& inputs, const Inspection& inspection,
                                   const FamilyGroups& family,
                                   std::optional<uint64_t> block_cache_bytes);

// Empty: there is nothing to say. The advice has its choices.
std::string CacheRemark(const CacheUse& use, const directory::ColumnFamily& family,
                        const Group& all, const advice::Advice& advice);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_CACHE_REMARK_H_
