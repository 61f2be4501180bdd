// rocksdb.h: the sample of queries.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/query_sample/query_sample.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/faults/fail_each_allocation.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using rocksdb::FilterBitsReader;

constexpr char kKey[] = "a key that no string holds without memory";

class Matching : public FilterBitsReader {
 public:
  bool MayMatch(const rocksdb::Slice&) override { return true; }
  void MayMatch(int, rocksdb::Slice**, bool*) override {}
};

// Without memory, a query has the same answer, and its key is left out.
TEST(RocksDBQuerySample, QueriesDoNotFail) {
  FailEachAllocation([](Attempt* attempt) {
    const auto sample = std::make_shared<QuerySample>();
    auto* const reader = new Matching;
    FilterBitsReader* sampling = nullptr;
    attempt->Call([&] { sampling = WithSample(reader, 1, sample); });
    const std::unique_ptr<FilterBitsReader> owned(sampling);
    ASSERT_NE(sampling, nullptr);
    EXPECT_TRUE(sampling != reader || attempt->HasFailed());
    bool may_match = false;
    attempt->Call([&] { may_match = sampling->MayMatch(kKey); });
    EXPECT_TRUE(may_match);
    const std::vector<std::string> keys = sample->Keys();
    if (attempt->HasFailed() && keys.empty()) return;
    EXPECT_EQ(keys, std::vector<std::string>{kKey});
  });
}

TEST(RocksDBQuerySample, IsWrittenOrNotWithAReason) {
  const TempDir dir;
  RocksDBFilterOptions filter;
  filter.sample_queries = 1;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBFilterPolicy(filter);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(OpenRocksDB(options, dir.Path("db"), &db).ok());
  // What threads of RocksDB allocate or free meanwhile would look like a leak. So the file comes
  // from no flush, and the thread of periodic tasks, which each database starts, has to end.
  rocksdb::SstFileWriter writer({}, options);
  ASSERT_TRUE(writer.Open(dir.Path("file")).ok());
  ASSERT_TRUE(writer.Put(kKey, "value").ok());
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(db->IngestExternalFile({dir.Path("file")}, {}).ok());
  std::string value;
  ASSERT_TRUE(db->Get({}, kKey, &value).ok());
  rocksdb::CancelAllBackgroundWork(db.get(), true);
  for (int64_t before = -1, now = LiveMemory(); before != now; now = LiveMemory()) {
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const std::string path = dir.Path("a name that no string holds without memory");
  ExpectRefused(
      [&](std::string* error) { return WriteQuerySample(nullptr, nullptr, path, error); });
  FailEachAllocation([&](Attempt* attempt) {
    std::string error = Attempt::kUntouched;
    bool is_written = false;
    attempt->Call(
        [&] { is_written = WriteQuerySample(db.get(), db->DefaultColumnFamily(), path, &error); });
    attempt->CheckOutcome(is_written, error);
  });
}

}  // namespace
}  // namespace bloomline::tests
