// The walks that write the new tables of each engine (table_walk.h).
#ifndef BLOOMLINE_DB_REWRITE_ENGINE_TABLES_H_
#define BLOOMLINE_DB_REWRITE_ENGINE_TABLES_H_

#include <memory>

#include "src/db/rewrite/known_table.h"
#include "src/db/rewrite/table_rewrite.h"
#include "src/db/rewrite/table_walk.h"

namespace bloomline::db {

// All arguments must outlive the walk.
std::unique_ptr<TableWalk> NewRocksDBWalk(const KnownTable& table, const TableRewrite& rewrite,
                                          sstable::TableWriter* out);
std::unique_ptr<TableWalk> NewLevelDBWalk(const KnownTable& table, const TableRewrite& rewrite,
                                          sstable::TableWriter* out);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_ENGINE_TABLES_H_
