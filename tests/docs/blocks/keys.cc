// The blocks of docs/keys.md: the policy's name must be what the page says, and databases whose
// comparator ignores case find keys in another spelling.
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <string_view>

#include "tests/engines/rocksdb_open.h"
#include "tests/support/case_folding.h"
// INCLUDES
bool SeedIsInName() {
  std::string error;
  // BLOCK 1
  const std::unique_ptr<const leveldb::FilterPolicy> owned(policy);
  if (policy == nullptr || !error.empty()) return false;
  const std::string_view start = "app.Filter.seed-", name = policy->Name();
  return name.substr(0, start.size()) == start &&
         name.find_first_not_of("0123456789abcdef", start.size()) == name.npos &&
         name.size() == start.size() + 32;
}

// BLOCK 2
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
  if (!SeedIsInName()) return 9;
  std::string error;
  IgnoresCase<rocksdb::Comparator, rocksdb::Slice> ignores_case;
  IgnoresCase<leveldb::Comparator, leveldb::Slice> leveldb_ignores_case;
  rocksdb::Options options;
  // BLOCK 3
  // BLOCK 4
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
