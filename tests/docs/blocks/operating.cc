// The blocks of docs/operating.md: a database with RocksDB's own filters gets new ones, and one
// opens with a limit for memory.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <iostream>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
// INCLUDES

int Rewrite() {
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
  std::string error;
  // BLOCK 1
  delete db;
  return report.IsComplete() && report.files_rewritten == 1 ? 0 : 6;
}

int Limit() {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::BlockBasedTableOptions table;
  std::string error;
  // BLOCK 2
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB* db;
  if (table.filter_policy == nullptr || !rocksdb::DB::Open(options, "limited", &db).ok()) return 7;
  if (!db->Put({}, "key", "value").ok() || !db->Flush({}).ok()) return 8;
  delete db;
  return 0;
}

int main() {
  const int rewritten = Rewrite();
  return rewritten != 0 ? rewritten : Limit();
}
