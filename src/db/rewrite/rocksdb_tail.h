// Writes everything behind the data blocks of a RocksDB table, with new filters.
#ifndef BLOOMLINE_DB_REWRITE_ROCKSDB_TAIL_H_
#define BLOOMLINE_DB_REWRITE_ROCKSDB_TAIL_H_

#include <string>
#include <utility>
#include <vector>

#include "src/db/rewrite/known_table.h"
#include "src/db/rewrite/table_rewrite.h"
#include "src/db/sstable/table_writer.h"

namespace bloomline::db {

// A property that is a number.
constexpr const char* kFilterSize = "rocksdb.filter.size";

// The partitions of a new filter with their separators; or the filter, whose separator means
// nothing.
using NewFilters = std::vector<std::pair<std::string, std::string>>;

// Sets the fields of *result about the filters, whose entries it must have, and unique_id.
bool WriteRocksDBTail(const KnownTable& table, const TableRewrite& rewrite, NewFilters filters,
                      sstable::TableWriter* out, RewrittenTable* result, std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_ROCKSDB_TAIL_H_
