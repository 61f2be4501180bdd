// filter_account.h: the account of filters.
#include <memory>
#include <string>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/faults/fail_each_allocation.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

TEST(RocksDBFilterAccount, IsMadeOrNull) {
  RegisterBloomline();
  ExpectMadeOrError([](std::string* error) { return NewFilterAccount(error); }, [](const auto&) {});
}

// A file may not be counted for lack of memory. It is always subtracted, and never twice.
TEST(RocksDBFilterAccount, NoFileStaysBehind) {
  const TempDir dir;
  const std::string path = dir.Path("a path that no string holds without memory");
  rocksdb::TableFileCreationInfo created;
  created.db_name = path;
  created.file_path = path + "/000007.sst";
  created.reason = rocksdb::TableFileCreationReason::kCompaction;  // of no known one: live at once
  created.table_properties.filter_size = 1000;
  created.table_properties.num_entries = created.table_properties.num_filter_entries = 800;
  rocksdb::TableFileDeletionInfo deleted;
  deleted.db_name = created.db_name;
  deleted.file_path = created.file_path;
  FailEachAllocation([&](Attempt* attempt) {
    rocksdb::Options options;
    options.create_if_missing = true;
    const auto account = NewFilterAccount();
    options.listeners = {account};
    std::unique_ptr<rocksdb::DB> db;
    ASSERT_TRUE(OpenRocksDB(options, path, &db).ok());
    ASSERT_TRUE(account->CountFiles(db.get()));
    attempt->Call([&] {
      account->OnTableFileCreationStarted(created);
      account->OnTableFileCreated(created);
    });
    const uint64_t bytes = account->filter_bytes();
    EXPECT_TRUE(bytes == 1000 || (bytes == 0 && attempt->HasFailed())) << bytes;
    EXPECT_EQ(account->num_keys(), bytes * 8 / 10);
    attempt->Call([&] { account->OnTableFileDeleted(deleted); });
    EXPECT_EQ(account->filter_bytes(), 0u);
    EXPECT_EQ(account->num_keys(), 0u);
    account->OnTableFileDeleted(deleted);
    EXPECT_EQ(account->filter_bytes(), 0u);
  });
}

}  // namespace
}  // namespace bloomline::tests
