// Writes the tables of tests/db/sstable_golden_test.cc that LevelDB writes: with snappy, and,
// with -DWITH_ZSTD and a LevelDB of 2023 or later, with zstd.
//   g++ -std=c++17 -I. write_leveldb_tables.cc -lleveldb    (-fno-rtti, if LevelDB has none)
// Usage: write_leveldb_tables FOLDER VERSION   It makes a database FOLDER/db, and prints the lines
// for tables.txt; the table is the one .ldb file in the database.
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tests/golden/tables/entries.h"

namespace {

using bloomline::tests::GoldenEntry;

class Recording : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return inner_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    inner_->CreateFilter(keys, n, dst);
    written = *dst;  // all filters of the block so far
    ++num_written;
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return inner_->KeyMayMatch(key, filter);
  }
  mutable std::string written;
  mutable int num_written = 0;

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> inner_{leveldb::NewBloomFilterPolicy(10)};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  Recording policy;
  leveldb::Options options;
  options.create_if_missing = true;
  options.block_size = 300;
  options.filter_policy = &policy;
#ifdef WITH_ZSTD
  options.compression = leveldb::kZstdCompression;
#endif
  leveldb::DB* db = nullptr;
  if (!leveldb::DB::Open(options, std::string(argv[1]) + "/db", &db).ok()) return 1;
  for (int i = 0; i < bloomline::tests::kGoldenEntries; ++i) {
    const auto entry = GoldenEntry(i);
    const auto status =
        entry.is_deletion ? db->Delete({}, entry.key) : db->Put({}, entry.key, entry.value);
    if (!status.ok()) return 1;
  }
  delete db;  // the log is written to a table when it is opened again
  if (!leveldb::DB::Open(options, std::string(argv[1]) + "/db", &db).ok()) return 1;
  std::printf("leveldb-%s.ldb 0 offset %d %08x\n", argv[2], policy.num_written,
              bloomline::tests::GoldenCrc32(policy.written));
  delete db;
}
