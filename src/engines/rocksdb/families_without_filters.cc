// FamiliesWithoutFilters: which families of an open database have no filter policy.
#include <cstdio>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/builder/layout_check.h"

namespace bloomline {

std::vector<std::string> FamiliesWithoutFilters(
    ROCKSDB_NAMESPACE::DB* db,
    const std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*>& families) {
  using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
  std::vector<std::string> names;
  if (db == nullptr) return names;
  const std::string mismatch = engine::RocksDBMismatch();
  if (!mismatch.empty()) {
    std::fprintf(stderr, "bloomline: FamiliesWithoutFilters: %s\n", mismatch.c_str());
    return names;
  }
  for (ROCKSDB_NAMESPACE::ColumnFamilyHandle* const family : families) {
    if (family == nullptr) continue;
    const auto factory = db->GetOptions(family).table_factory;
    const auto* const table = factory->GetOptions<BlockBasedTableOptions>();
    if (table != nullptr && table->filter_policy == nullptr) names.push_back(family->GetName());
  }
  return names;
}

}  // namespace bloomline
