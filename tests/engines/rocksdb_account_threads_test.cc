// What a thread keeps of an account and of its ranges: an id, and memory that has no destructor.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "tests/engines/accounted_database.h"
#include "tests/support/temp_dir.h"

namespace {

// Volatile: to the compiler, the function below is the C++ library's, which changes nothing here.
thread_local volatile int num_destructors = 0;

}  // namespace

// What the compiler calls for a thread's variable with a destructor. glibc then allocates, and ends
// the process if it cannot.
extern "C" int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library) {
  num_destructors = num_destructors + 1;
  using Function = int(void (*)(void*), void*, void*);
  static auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "__cxa_thread_atexit"));
  return next(destructor, object, library);
}

namespace bloomline::tests {
namespace {

struct Counted {
  ~Counted() { value = 1; }
  volatile int value = 0;
};

// Returns how many destructors a new thread has after `work`.
template <typename F>
int DestructorsAfter(F work) {
  int result = 0;
  std::thread([&] {
    const int before = num_destructors;
    work();
    result = num_destructors - before;
  }).join();
  return result;
}

std::unique_ptr<rocksdb::FilterBitsBuilder> NewBuilder(const rocksdb::FilterPolicy& policy) {
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.reason = rocksdb::TableFileCreationReason::kFlush;
  return std::unique_ptr<rocksdb::FilterBitsBuilder>(policy.GetBuilderWithContext(context));
}

TEST(RocksDBAccountThreadsTest, NoThreadGetsADestructor) {
#ifndef __GLIBCXX__
  GTEST_SKIP() << "the range extractor's memory has a destructor";
#endif
  ASSERT_EQ(DestructorsAfter([] {
              thread_local Counted counted;
              counted.value = 2;
            }),
            1)
      << "the test sees no destructors";
  const auto policy = NewRocksDBFilterPolicy(FilterOptions());
  EXPECT_EQ(DestructorsAfter([&] { EXPECT_NE(NewBuilder(*policy), nullptr); }), 0);
  const auto account = NewFilterAccount();
  EXPECT_EQ(DestructorsAfter([&] {
              account->OnTableFileCreationStarted({});
              EXPECT_NE(NewBuilder(*policy), nullptr);
            }),
            0);
  const auto extractor = NewRangeExtractor();
  EXPECT_EQ(DestructorsAfter([&] {
              const rocksdb::Slice prefix = extractor->Transform("a");
              extractor->Transform("b");
              std::string_view begin, end;
              LastRange(prefix, &begin, &end);
            }),
            0);
}

TEST(RocksDBAccountThreadsTest, AnIdFindsItsAccountWhileThatExists) {
  auto one = std::make_shared<FileAccount>();
  auto two = std::make_shared<FileAccount>();
  EXPECT_NE(one->id(), two->id());
  EXPECT_NE(one->id(), 0u);
  EXPECT_EQ(FileAccount::WithId(0), nullptr);
  EXPECT_EQ(FileAccount::WithId(one->id()), one);
  EXPECT_EQ(FileAccount::WithId(two->id()), two);
  const uint64_t id = one->id();
  BeginFileCreation(id);
  one.reset();
  EXPECT_EQ(TakeAccountOfCreation(), nullptr);
  EXPECT_EQ(FileAccount::WithId(id), nullptr);
  EXPECT_EQ(FileAccount::WithId(two->id()), two);
  const FileAccount without_owner;
  EXPECT_EQ(FileAccount::WithId(without_owner.id()), nullptr);
  BeginFileCreation(two->id());
  EXPECT_EQ(TakeAccountOfCreation(), two);
  EXPECT_EQ(TakeAccountOfCreation(), nullptr) << "it is for one file";
  BeginFileCreation(two->id());
  EndFileCreation();
  EXPECT_EQ(TakeAccountOfCreation(), nullptr);
}

TEST(RocksDBAccountThreadsTest, AccountsComeAndGoWhileOthersAreFound) {
  std::atomic<bool> ends{false};
  const auto stays = std::make_shared<FileAccount>();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!ends) {
        const auto account = std::make_shared<FileAccount>();
        EXPECT_EQ(FileAccount::WithId(account->id()), account);
      }
    });
  }
  for (uint64_t i = 0; i < 20000; ++i) {
    EXPECT_EQ(FileAccount::WithId(stays->id()), stays);
    const auto other = FileAccount::WithId(stays->id() + 1 + i);  // may end here
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
}

// The end of a file in a failed compaction is not reported, so its beginning must not count for the
// files that the same thread writes afterwards.
TEST(RocksDBAccountThreadsTest, AFailedCompactionLimitsNoOtherFile) {
  class FailingFile : public rocksdb::WritableFileWrapper {
   public:
    FailingFile(std::unique_ptr<rocksdb::WritableFile> file, const std::atomic<bool>* fails)
        : WritableFileWrapper(file.get()), file_(std::move(file)), fails_(*fails) {}
    rocksdb::Status Append(const rocksdb::Slice& data) override {
      return fails_ ? rocksdb::Status::IOError("injected") : WritableFileWrapper::Append(data);
    }

   private:
    const std::unique_ptr<rocksdb::WritableFile> file_;
    const std::atomic<bool>& fails_;
  };
  class FailingEnv : public rocksdb::EnvWrapper {
   public:
    using EnvWrapper::EnvWrapper;
    rocksdb::Status NewWritableFile(const std::string& name,
                                    std::unique_ptr<rocksdb::WritableFile>* file,
                                    const rocksdb::EnvOptions& options) override {
      const rocksdb::Status status = EnvWrapper::NewWritableFile(name, file, options);
      if (status.ok() && name.find(".sst") != std::string::npos) {
        *file = std::make_unique<FailingFile>(std::move(*file), &fails);
      }
      return status;
    }
    std::atomic<bool> fails{false};
  } env(rocksdb::Env::Default());
  const TempDir dir;
  RocksDBFilterOptions filter;
  filter.memory_bytes = 1;
  const auto account = NewFilterAccount();
  AccountedDatabase database(dir.Path("db"), account, filter);
  database.options().env = &env;
  database.options().disable_auto_compactions = true;
  ASSERT_TRUE(database.Open().ok());
  for (uint64_t i = 0; i < 2; ++i) {
    database.Put(database.handles()[0], 0, 500);
    database.Flush();
  }
  ExpectExact(*account, &database, "flushes");
  std::vector<rocksdb::LiveFileMetaData> files;
  database.db()->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 2u);
  env.fails = true;  // in this thread
  EXPECT_FALSE(database.db()->CompactFiles({}, {files[0].name, files[1].name}, 6).ok());
  env.fails = false;
  EXPECT_EQ(TakeAccountOfCreation(), nullptr);
  // SstFileWriter's files have no limit even if the thread has an account.
  account->OnTableFileCreationStarted({});
  rocksdb::Options options = database.options();
  options.env = rocksdb::Env::Default();
  rocksdb::SstFileWriter writer({}, options);
  ASSERT_TRUE(writer.Open(dir.Path("file")).ok());
  for (int i = 10000; i < 20000; ++i) ASSERT_TRUE(writer.Put(std::to_string(i), "").ok());
  ASSERT_TRUE(writer.Finish().ok());
  const uint64_t before = account->filter_bytes();
  database.Close();
  ASSERT_TRUE(database.Open().ok());
  ASSERT_TRUE(account->CountFiles(database.db()));
  ASSERT_TRUE(database.db()->IngestExternalFile({dir.Path("file")}, {}).ok());
  ExpectExact(*account, &database, "an ingested file");
  EXPECT_GT(account->filter_bytes() - before, 10000u) << "10 bits for each of 10000 keys";
}

}  // namespace
}  // namespace bloomline::tests
