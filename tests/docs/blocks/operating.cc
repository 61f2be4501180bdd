// The blocks of docs/operating.md: a database with RocksDB's own filters gets new ones, and one
// opens with a limit for memory.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>

#include <iostream>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
// INCLUDES
using bloomline::tests::MustOpenRocksDB;
using bloomline::tests::WithPolicy;
using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

int Rewrite() {
  auto owned = MustOpenRocksDB(WithPolicy(Policy(rocksdb::NewBloomFilterPolicy(10))), "db");
  if (!owned->Put({}, "key", "value").ok() || !owned->Flush({}).ok()) return 3;
  if (!owned->CompactRange({}, nullptr, nullptr).ok()) return 4;
  owned.reset();
  owned = MustOpenRocksDB(WithPolicy(bloomline::NewRocksDBFilterPolicy(bloomline::FilterOptions())),
                          "db");
  rocksdb::DB* const db = owned.get();
  rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
  std::string error;
  // BLOCK 1
  return report.IsComplete() && report.files_rewritten == 1 ? 0 : 6;
}

int Limit() {
  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;
  std::string error;
  // BLOCK 2
  if (table.filter_policy == nullptr) return 7;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const auto db = MustOpenRocksDB(options, "limited");
  return db->Put({}, "key", "value").ok() && db->Flush({}).ok() ? 0 : 8;
}

int main() {
  const int rewritten = Rewrite();
  return rewritten != 0 ? rewritten : Limit();
}
