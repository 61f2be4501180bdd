// A program that sets a filter policy for one of its column families only.
// Usage: no_policy_client FOLDER
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "tests/engines/preload/client.h"
#include "tests/engines/rocksdb_open.h"

namespace {

void OpenFamilies(const std::string& path) {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  const std::shared_ptr<const rocksdb::FilterPolicy> bloom(rocksdb::NewBloomFilterPolicy(10));
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  Require(bloomline::tests::OpenRocksDB(
      options, path,
      {{"default", {}}, {"bloom", bloomline::tests::WithPolicy(bloom)}, {"other", {}}}, &handles,
      &db));
  for (auto* const handle : handles) Require(db->DestroyColumnFamilyHandle(handle));
}

void OpenOne(const std::string& path) {
  rocksdb::Options options;
  options.create_if_missing = true;
  std::unique_ptr<rocksdb::DB> db;
  Require(bloomline::tests::OpenRocksDB(options, path, &db));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  OpenOne(folder + "/one");
  OpenFamilies(folder + "/families");
  return 0;
}
