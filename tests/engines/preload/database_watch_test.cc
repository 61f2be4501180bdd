// Requests to rewrite filters while databases are closed, the process ends, or memory is out.
#include "src/engines/preload/database_watch.h"

#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/engines/preload/rewrite_request.h"
#include "tests/engines/rewrite_database.h"
#include "tests/faults/fail_each_allocation.h"
#include "tests/faults/failing_new.h"
#include "tests/support/temp_dir.h"
#include "tests/support/within_seconds.h"

extern "C" void bloomline_preload_watch(void* db, const bloomline::preload::Environment* settings);
extern "C" void bloomline_preload_unwatch(void* db);

namespace bloomline::preload {
namespace {

using tests::Within30Seconds;

// Where a rewrite asks for the free space, which it does before each file, it waits.
class GatedDisk : public rocksdb::FileSystemWrapper {
 public:
  GatedDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "GatedDisk"; }
  rocksdb::IOStatus GetFreeSpace(const std::string&, const rocksdb::IOOptions&, uint64_t* free,
                                 rocksdb::IODebugContext*) override {
    ++asked;
    while (!is_open) usleep(1000);
    *free = uint64_t{1} << 40;
    return rocksdb::IOStatus::OK();
  }

  std::atomic<int> asked{0};
  std::atomic<bool> is_open{false};
};

// From its first line on that is bloomline's, a thread is in a scope of failing_new.h.
class ScopedLog : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[1000];
    vsnprintf(line, sizeof(line), format, arguments);
    if (std::strstr(line, "bloomline: ") == nullptr) return;
    tests::EnterScope();
    is_in_scope = true;
  }

  std::atomic<bool> is_in_scope{false};
};

class WatchedDatabase {
 public:
  explicit WatchedDatabase(const std::string& path) : path_(path), db_(Options(), path) {
    db_.OpenWithStockFilters();
    for (uint64_t i = 0; i < 3000; ++i) {
      EXPECT_TRUE(db_->Put({}, tests::RewriteKey(i), std::string(60, 'v')).ok());
    }
    EXPECT_TRUE(db_->Flush({}).ok());
    EXPECT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
    db_.WaitUntilQuiet();
    db_.Open(tests::CompactPolicy());
    Environment settings = {};
    settings.rewrite = "1";
    bloomline_preload_watch(db_.get(), &settings);
  }

  void Request(const std::string& name = "bloomline_rewrite") {
    std::ofstream(path_ + "/" + name) << "include_level0=false";
  }
  bool IsRewriting() const { return disk->asked > 0; }
  // Empty: there is no report.
  std::string Report() const {
    std::ifstream file(path_ + "/bloomline_rewrite.done");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  rocksdb::DB* db() const { return db_.get(); }

  const std::shared_ptr<GatedDisk> disk = std::make_shared<GatedDisk>();
  const std::shared_ptr<ScopedLog> log = std::make_shared<ScopedLog>();

 private:
  rocksdb::Options Options() {
    rocksdb::Options options = tests::RewriteDatabase::SmallFiles();
    options.env = env_.get();
    options.info_log = log;
    return options;
  }

  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk);
  const std::string path_;
  tests::RewriteDatabase db_;
};

class DatabaseWatchTest : public testing::Test {
 protected:
  const tests::TempDir dir_;
};

// Both call DB::Close, which frees what the rewrite uses.
TEST_F(DatabaseWatchTest, TwoThreadsThatCloseWaitForTheRewrite) {
  WatchedDatabase database(dir_.Path("db"));
  database.Request();
  ASSERT_TRUE(Within30Seconds([&] { return database.IsRewriting(); }));
  std::atomic<int> passed{0};
  std::vector<std::thread> closers;
  for (int i = 0; i < 2; ++i) {
    closers.emplace_back([&] {
      bloomline_preload_unwatch(database.db());
      ++passed;
    });
    usleep(300000);
    EXPECT_EQ(passed, 0) << i;
  }
  database.disk->is_open = true;
  for (std::thread& closer : closers) closer.join();
  EXPECT_EQ(database.disk->asked, 1) << "files after the one at which it was cancelled";
  EXPECT_EQ(database.Report(), "");
}

TEST_F(DatabaseWatchTest, ADatabaseIsClosedWithoutMemory) {
  WatchedDatabase database(dir_.Path("db"));
  database.Request();
  ASSERT_TRUE(Within30Seconds([&] { return database.IsRewriting(); }));
  std::thread opener([&] {
    usleep(300000);
    database.disk->is_open = true;
  });
  const tests::FailurePlan plan = {1, /*all_after=*/true};
  tests::Attempt attempt(plan);
  attempt.Call([&] { bloomline_preload_unwatch(database.db()); });
  opener.join();
  EXPECT_TRUE(attempt.HasFailed());
  EXPECT_EQ(database.disk->asked, 1);
}

// Databases are in order of their addresses: the first one has not ended while the second is to
// end.
[[noreturn]] void ExitWhileTwoAreRewritten(const std::string& folder) {
  WatchedDatabase a(folder + "a");
  WatchedDatabase b(folder + "b");
  const bool is_in_order = std::less<>()(a.db(), b.db());
  const GatedDisk& first = is_in_order ? *a.disk : *b.disk;
  GatedDisk& second = is_in_order ? *b.disk : *a.disk;
  for (WatchedDatabase* const database : {&a, &b}) {
    database->Request();
    if (!Within30Seconds([&] { return database->IsRewriting(); })) _exit(2);
  }
  std::thread([&] {
    usleep(500000);  // exit has begun
    second.is_open = true;
    usleep(1500000);
    std::filesystem::remove_all(folder);
    _exit(first.asked == 1 && second.asked == 1 ? 0 : 1);
  }).detach();
  std::exit(3);
}

TEST_F(DatabaseWatchTest, ExitCancelsAllRewritesAtOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(ExitWhileTwoAreRewritten(dir_.Path("")), testing::ExitedWithCode(0), "");
}

TEST_F(DatabaseWatchTest, ARequestThatIsTakenWithoutMemoryIsCarriedOutLater) {
  WatchedDatabase database(dir_.Path("db"));
  database.disk->is_open = true;
  // A folder has the name that the request is to get, so the thread says that something is wrong.
  const std::string running = dir_.Path("db/bloomline_rewrite.running");
  std::filesystem::create_directory(running);
  tests::Arm({1, /*all_after=*/true, /*all_threads=*/false, /*in_scopes=*/true}, 0);
  database.Request();
  ASSERT_TRUE(Within30Seconds([&] { return database.log->is_in_scope.load(); }));
  std::filesystem::remove(running);
  ASSERT_TRUE(Within30Seconds([&] { return std::filesystem::is_regular_file(running); }));
  usleep(1500000);  // another look
  EXPECT_GT(tests::Disarm().failed, 1u);
  EXPECT_EQ(database.Report(), "");
  ASSERT_TRUE(Within30Seconds([&] { return !database.Report().empty(); }));
  EXPECT_EQ(database.Report().substr(0, 13), "Complete: yes") << database.Report();
  bloomline_preload_unwatch(database.db());
}

TEST_F(DatabaseWatchTest, AReportWithoutMemoryIsWrittenLater) {
  WatchedDatabase database(dir_.Path("db"));
  database.disk->is_open = true;
  tests::Arm({1, /*all_after=*/true, /*all_threads=*/false, /*in_scopes=*/true}, 0);
  database.Request();
  ASSERT_TRUE(Within30Seconds([&] { return database.log->is_in_scope.load(); }));
  usleep(1500000);  // another look
  EXPECT_EQ(database.Report(), "");
  EXPECT_GT(tests::Disarm().failed, 1u);
  ASSERT_TRUE(Within30Seconds([&] { return !database.Report().empty(); }));
  EXPECT_EQ(database.Report().substr(0, 12), "Complete: no");
  EXPECT_NE(database.Report().find("out of memory"), std::string::npos) << database.Report();
  EXPECT_EQ(database.disk->asked, 0) << "it was carried out again";
  // The next one is not affected.
  std::filesystem::remove(dir_.Path("db/bloomline_rewrite.done"));
  database.Request();
  ASSERT_TRUE(Within30Seconds([&] { return !database.Report().empty(); }));
  EXPECT_EQ(database.Report().substr(0, 13), "Complete: yes") << database.Report();
  bloomline_preload_unwatch(database.db());
}

// Numbers of families rise with each family that was ever created.
TEST_F(DatabaseWatchTest, AFamilyBehindManyDroppedOnesIsRewritten) {
  WatchedDatabase database(dir_.Path("db"));
  database.disk->is_open = true;
  rocksdb::DB* const db = database.db();
  rocksdb::ColumnFamilyHandle* family = nullptr;
  for (int i = 0; i < 4200; ++i) {
    ASSERT_TRUE(db->CreateColumnFamily({}, "dropped", &family).ok());
    ASSERT_TRUE(db->DropColumnFamily(family).ok());
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
  }
  ASSERT_TRUE(db->CreateColumnFamily({}, "last", &family).ok());
  ASSERT_GT(family->GetID(), 4200u);
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
  database.Request();
  ASSERT_TRUE(Within30Seconds([&] { return !database.Report().empty(); }));
  EXPECT_NE(database.Report().find("Column family 'last'"), std::string::npos) << database.Report();
  bloomline_preload_unwatch(db);
}

// As a thread that looks again after each exception.
TEST_F(DatabaseWatchTest, EachFailureOfMemoryLeavesARequestThatIsFound) {
  const std::string folder = dir_.Path("a folder with a name that needs memory");
  std::filesystem::create_directory(folder);
  tests::FailEachAllocation([&](tests::Attempt* attempt) {
    std::ofstream(folder + "/bloomline_rewrite") << "include_level0=true";
    RewriteRequest request(folder);
    const auto serve = [&] {
      RewriteOptions options;
      std::string text;
      std::string error;
      return request.Take(&error) && request.Read(&options, &text, &error) &&
             request.Finish("report", &error);
    };
    bool is_served = false;
    for (int look = 0; look < 3 && !is_served; ++look) {
      const auto try_to_serve = [&] {
        try {
          is_served = serve();
        } catch (const std::bad_alloc&) {
          request.LookAgain();
        }
      };
      if (look == 0) {
        EXPECT_FALSE(serve());  // it must look the same twice
      }
      if (look == 1) attempt->Call(try_to_serve);
      if (look == 2) try_to_serve();
    }
    EXPECT_TRUE(is_served);
    EXPECT_FALSE(request.IsWanted());
  });
}

}  // namespace
}  // namespace bloomline::preload
