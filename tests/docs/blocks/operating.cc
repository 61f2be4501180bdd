// The blocks of docs/operating.md: all files of a database get new filters, the families without a
// policy are named, and another database opens with a limit for memory.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/rate_limiter.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
// INCLUDES
using bloomline::tests::MustOpenRocksDB;
using bloomline::tests::WithPolicy;
using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

rocksdb::Options OptionsWith(Policy policy) {
  rocksdb::Options options = WithPolicy(std::move(policy));
  options.target_file_size_base = 4096;
  options.compression = rocksdb::kNoCompression;
  return options;
}

// Files in two levels. Few of the lower level overlap one above.
int WriteOldFiles() {
  const auto db = MustOpenRocksDB(OptionsWith(Policy(rocksdb::NewBloomFilterPolicy(10))), "db");
  const auto write = [&db](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      if (!db->Put({}, std::to_string(i), "value").ok()) return false;
    }
    return db->Flush({}).ok();
  };
  if (!write(1000, 5000) || !write(1000, 5000)) return 3;
  if (!db->CompactRange({}, nullptr, nullptr).ok()) return 4;
  if (!write(2000, 2100) || !write(6000, 6100)) return 5;
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  return files.size() > 10 ? 0 : 6;
}

int Compact() {
  rocksdb::Options options =
      OptionsWith(bloomline::NewRocksDBFilterPolicy(bloomline::FilterOptions()));
  options.rate_limiter.reset(rocksdb::NewGenericRateLimiter(100 << 20));
  const auto owned = MustOpenRocksDB(options, "db");
  rocksdb::DB* const db = owned.get();
  rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
  // BLOCK 1
  return 0;
}

int Name() {
  std::unique_ptr<rocksdb::DB> owned;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DBOptions options;
  options.create_if_missing = options.create_missing_column_families = true;
  const Policy bloom(rocksdb::NewBloomFilterPolicy(10));
  const rocksdb::Status status = bloomline::tests::OpenRocksDB(
      options, "families", {{"default", WithPolicy(bloom)}, {"other", {}}}, &handles, &owned);
  if (!status.ok()) return 9;
  rocksdb::DB* const db = owned.get();
  std::FILE* const screen = stderr;
  stderr = std::fopen("named", "w");
  // BLOCK 2
  std::fclose(stderr);
  stderr = screen;
  for (auto* const handle : handles) {
    if (!db->DestroyColumnFamilyHandle(handle).ok()) return 10;
  }
  std::string named;
  std::getline(std::ifstream("named"), named, '\0');
  return named == "no filter policy: other\n" ? 0 : 11;
}

int Limit() {
  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;
  std::string error;
  // BLOCK 3
  if (table.filter_policy == nullptr) return 7;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const auto db = MustOpenRocksDB(options, "limited");
  return db->Put({}, "key", "value").ok() && db->Flush({}).ok() ? 0 : 8;
}

int main() {
  for (const auto part : {WriteOldFiles, Compact, Name, Limit}) {
    const int status = part();
    if (status != 0) return status;
  }
  return 0;
}
