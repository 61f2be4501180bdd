// The blocks of docs/comparators.md on databases whose comparator ignores case.
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>

#include "tests/engines/rocksdb_open.h"
#include "tests/support/case_folding.h"
// INCLUDES
// BLOCK 1
template <typename Base, typename Slice>
class IgnoresCase : public Base {
  const char* Name() const override { return "IgnoresCase"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return bloomline::tests::CompareFolded({a.data(), a.size()}, {b.data(), b.size()});
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

int main() {
  std::string error;
  IgnoresCase<rocksdb::Comparator, rocksdb::Slice> ignores_case;
  IgnoresCase<leveldb::Comparator, leveldb::Slice> leveldb_ignores_case;
  rocksdb::Options options;
  // BLOCK 2
  // BLOCK 3
  options.create_if_missing = true;
  std::string value;
  std::unique_ptr<rocksdb::DB> db;
  if (!bloomline::tests::OpenRocksDB(options, "rocksdb", &db).ok()) return 2;
  if (!db->Put({}, "Apple", "1").ok() || !db->Flush({}).ok()) return 3;
  if (!db->Get({}, "aPPLE", &value).ok() || db->Get({}, "plum", &value).ok()) return 4;
  leveldb::Options leveldb_options;
  leveldb_options.create_if_missing = true;
  leveldb_options.comparator = &leveldb_ignores_case;
  leveldb_options.filter_policy = policy;
  leveldb::DB* leveldb_db;
  if (!leveldb::DB::Open(leveldb_options, "leveldb", &leveldb_db).ok()) return 5;
  if (!leveldb_db->Put({}, "Apple", "1").ok()) return 6;
  leveldb_db->CompactRange(nullptr, nullptr);
  if (!leveldb_db->Get({}, "aPPLE", &value).ok()) return 7;
  if (leveldb_db->Get({}, "plum", &value).ok()) return 8;
  delete leveldb_db;
  delete policy;
}
