// The block of docs/rewriting.md on a database with RocksDB's own filters.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <iostream>
#include <string>

#include "bloomline/rocksdb.h"
// INCLUDES

int main() {
  rocksdb::Options database_options;
  database_options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  const auto open = [&](std::shared_ptr<const rocksdb::FilterPolicy> policy) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = std::move(policy);
    database_options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    delete db;
    return rocksdb::DB::Open(database_options, "db", &db).ok();
  };
  if (!open(std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)))) {
    return 2;
  }
  if (!db->Put({}, "key", "value").ok() || !db->Flush({}).ok()) return 3;
  if (!db->CompactRange({}, nullptr, nullptr).ok()) return 4;
  if (!open(bloomline::NewRocksDBFilterPolicy(bloomline::FilterOptions()))) return 5;
  rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
  // BLOCK 1
  delete db;
  return report.IsComplete() && report.files_rewritten == 1 ? 0 : 6;
}
