// A RocksDB that was not tested: filters reject ranges once the self-test has passed. This
// program's GetRocksVersionAsString and NewMemEnv replace the library's. A process decides once, so
// each test runs in a child.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "bloomline/metrics.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/engines/rocksdb/ranges/range_trust.h"
#include "src/engines/rocksdb/ranges/tested_versions.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/injected_entropy.h"
#include "tests/support/temp_dir.h"

namespace {

const std::string kMinor = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
// bloomline asks with the patch for this alone: whether the calls are known.
std::string running_version = kMinor + ".99";

int num_self_tests = 0;
// What happens when a self-test makes its Env; may throw.
std::function<rocksdb::Env*(rocksdb::Env* memory)> on_self_test;

}  // namespace

std::string ROCKSDB_NAMESPACE::GetRocksVersionAsString(bool with_patch) {
  return with_patch ? running_version : kMinor;
}

rocksdb::Env* ROCKSDB_NAMESPACE::NewMemEnv(rocksdb::Env* base) {
  ++num_self_tests;
  static const auto next = reinterpret_cast<rocksdb::Env* (*)(rocksdb::Env*)>(
      dlsym(RTLD_NEXT, "_ZN7rocksdb9NewMemEnvEPNS_3EnvE"));
  rocksdb::Env* const memory = next(base);
  return on_self_test ? on_self_test(memory) : memory;
}

namespace bloomline {
namespace {

using rocksdb::Slice;
using rocksdb::SliceTransform;

std::string Outcome(const SliceTransform& extractor) {
  std::string text;
  const rocksdb::Status status = extractor.GetOption(rocksdb::ConfigOptions(), "self_test", &text);
  return status.ok() ? text : status.ToString();
}

// Whether filters would learn the range of a scan.
bool ShowsRanges(const SliceTransform& extractor) {
  const Slice prefix = extractor.Transform("a");
  extractor.Transform("b");
  std::string_view begin, end;
  return LastRange(prefix, &begin, &end);
}

// Runs test() in a child, whose stderr must match the regular expression.
void InChild(const std::function<void()>& test, const char* stderr_text = "^$") {
  if (sizeof(void*) < 8) GTEST_SKIP() << "there are no tokens";
  const auto run = [&] {
    alarm(100);
    test();
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), stderr_text);
}

TEST(RocksDBRangeSelfTest, ADatabaseInMemoryIsScannedOnce) {
  InChild([] {
    const auto extractor = NewRangeExtractor();
    EXPECT_EQ(Outcome(*extractor).find("passed by RocksDB " + kMinor + ".99 in "), 0U)
        << Outcome(*extractor);
    EXPECT_TRUE(ShowsRanges(*extractor));
    EXPECT_TRUE(ShowsRanges(*NewRangeExtractor()));
    EXPECT_EQ(num_self_tests, 1);
    std::printf("%s\n", Outcome(*extractor).c_str());  // has the time
    std::fflush(stdout);
  });
}

// Reads the metrics when files are deleted, which is when the database has been used.
class ReadingEnv final : public rocksdb::EnvWrapper {
 public:
  ReadingEnv(rocksdb::Env* env, std::string* metrics) : EnvWrapper(env), metrics_(metrics) {}
  const char* Name() const override { return "reading"; }
  rocksdb::Status DeleteFile(const std::string& file) override {
    *metrics_ = MetricsText();
    return EnvWrapper::DeleteFile(file);
  }

 private:
  std::string* const metrics_;
};

TEST(RocksDBRangeSelfTest, MetricsDoNotCountIt) {
  InChild([] {
    const auto policy = NewRocksDBFilterPolicy(RocksDBFilterOptions());
    const std::string before = MetricsText();
    std::string meanwhile;
    on_self_test = [&](rocksdb::Env* memory) { return new ReadingEnv(memory, &meanwhile); };
    EXPECT_TRUE(ShowsRanges(*NewRangeExtractor()));
    EXPECT_EQ(num_self_tests, 1);
    EXPECT_EQ(meanwhile, before);
    EXPECT_EQ(MetricsText(), before);
  });
}

TEST(RocksDBRangeSelfTest, TestedVersionsNeedNone) {
  InChild([] {
    unsetenv("BLOOMLINE_RANGE_SELF_TEST");
    running_version = "7.8.3";
    const auto extractor = NewRangeExtractor();
    EXPECT_EQ(Outcome(*extractor), "not needed: RocksDB 7.8.3 was tested");
    EXPECT_TRUE(ShowsRanges(*extractor));
    EXPECT_EQ(num_self_tests, 0);
  });
}

TEST(RocksDBRangeSelfTest, TheEnvironmentForcesIt) {
  InChild([] {
    running_version = "7.8.3";
    setenv("BLOOMLINE_RANGE_SELF_TEST", "always", 1);
    EXPECT_TRUE(ShowsRanges(*NewRangeExtractor()));
    EXPECT_EQ(num_self_tests, 1);
  });
}

class FullEnv final : public rocksdb::EnvWrapper {
 public:
  explicit FullEnv(rocksdb::Env* env) : EnvWrapper(env) {}
  const char* Name() const override { return "full"; }
  rocksdb::Status CreateDirIfMissing(const std::string&) override {
    return rocksdb::Status::NoSpace("injected");
  }
};

TEST(RocksDBRangeSelfTest, TheEnvironmentsMistakesAreSaid) {
  InChild(
      [] {
        running_version = "7.8.3";
        setenv("BLOOMLINE_RANGE_SELF_TEST", "yes", 1);
        on_self_test = [](rocksdb::Env* memory) { return new FullEnv(memory); };
        EXPECT_FALSE(ShowsRanges(*NewRangeExtractor()));
        on_self_test = nullptr;
        EXPECT_TRUE(ShowsRanges(*NewRangeExtractor()));
        EXPECT_EQ(num_self_tests, 2);
      },
      "^bloomline: BLOOMLINE_RANGE_SELF_TEST is 'yes', which counts as always; allowed: always\n$");
}

// An id of this extractor may then be that of a table, whose bounds RocksDB does not check.
TEST(RocksDBRangeSelfTest, WithoutRandomNumbersNoVersionIsTrusted) {
  const std::string text =
      "failed with RocksDB 7.8.3: the system gives no random number for the "
      "ids of extractors";
  InChild(
      [&] {
        running_version = "7.8.3";
        const tests::InjectedEntropy failing;
        const auto extractor = NewRangeExtractor();
        EXPECT_EQ(Outcome(*extractor), text);
        EXPECT_FALSE(ShowsRanges(*extractor));
        EXPECT_EQ(num_self_tests, 0);
      },
      ("^bloomline: filters reject no range: the self-test " + text + "\n$").c_str());
}

TEST(RocksDBRangeSelfTest, AnEmptyVariableIsNone) {
  InChild([] {
    running_version = "7.8.3";
    setenv("BLOOMLINE_RANGE_SELF_TEST", "", 1);
    EXPECT_TRUE(ShowsRanges(*NewRangeExtractor()));
    EXPECT_EQ(num_self_tests, 0);
  });
}

TEST(RocksDBRangeSelfTest, OnlyPatchReleasesOfTheTableAreTestedVersions) {
  for (const TestedVersion& version : kTestedVersions) {
    const std::string minor =
        std::to_string(version.major) + "." + std::to_string(version.minor) + ".";
    EXPECT_TRUE(IsTestedVersion(minor + "0"));
    EXPECT_TRUE(IsTestedVersion(minor + std::to_string(version.last_patch)));
    EXPECT_FALSE(IsTestedVersion(minor + std::to_string(version.last_patch + 1)));
  }
  const TestedVersion last = *std::rbegin(kTestedVersions);
  EXPECT_FALSE(
      IsTestedVersion(std::to_string(last.major) + "." + std::to_string(last.minor + 1) + ".0"));
  EXPECT_FALSE(IsTestedVersion(std::to_string(last.major + 1) + ".0.0"));
  for (const char* text : {"", "7", "7.8", "7.8.", "7.8.3x", "7.8.3.1", "7.8.-1", "6.29.5", "x"}) {
    EXPECT_FALSE(IsTestedVersion(text)) << text;
  }
}

// A database with range entries, whose keys a scan still finds.
void ExpectScanFindsKeys(const rocksdb::Options& base) {
  const tests::TempDir folder;
  RocksDBFilterOptions filter;
  filter.range_prefixes = "1:2:3";
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBFilterPolicy(filter);
  rocksdb::Options options = base;
  options.create_if_missing = true;
  options.prefix_extractor = NewRangeExtractor();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(tests::OpenRocksDB(options, folder.Path("db"), &db).ok());
  for (const char* key : {"kaa", "kab"}) {
    ASSERT_TRUE(db->Put({}, key, "value").ok());
    ASSERT_TRUE(db->Flush({}).ok());
  }
  const Slice end("kb");
  rocksdb::ReadOptions read;
  read.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
  int num_keys = 0;
  for (iterator->Seek("ka"); iterator->Valid(); iterator->Next()) ++num_keys;
  EXPECT_EQ(num_keys, 2);

  // RocksDB's LOG has one line for two files.
  std::ifstream log(folder.Path("db/LOG"));
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  const std::string line = "bloomline: self-test of ranges " + Outcome(*options.prefix_extractor);
  const size_t at = text.find(line);
  ASSERT_NE(at, text.npos) << line;
  EXPECT_EQ(text.find(line, at + 1), text.npos);
  const bool passed = Outcome(*options.prefix_extractor).find("passed") == 0;
  EXPECT_EQ(text.compare(at + line.size(), 25, "; filters reject no range") != 0, passed);
}

TEST(RocksDBRangeSelfTest, TheOutcomeIsLoggedOnce) {
  InChild([] { ExpectScanFindsKeys({}); });
}

// As in a program whose static objects are made before those of RocksDB.
TEST(RocksDBRangeSelfTest, WithoutADatabaseALaterExtractorTriesAgain) {
  InChild([] {
    on_self_test = [](rocksdb::Env* memory) { return new FullEnv(memory); };
    const auto extractor = NewRangeExtractor();
    for (int i = 1; i <= 3; ++i) {
      EXPECT_EQ(num_self_tests, i);
      EXPECT_EQ(Outcome(*extractor), "not done yet: no database in memory");
      EXPECT_FALSE(ShowsRanges(*extractor));
      if (i == 3) on_self_test = nullptr;
      NewRangeExtractor();
    }
    EXPECT_EQ(num_self_tests, 4);
    EXPECT_EQ(Outcome(*extractor).find("passed by RocksDB"), 0U) << Outcome(*extractor);
    EXPECT_TRUE(ShowsRanges(*extractor));
  });
}

TEST(RocksDBRangeSelfTest, AFailureMeansMayMatch) {
  const std::string text = "failed with RocksDB " + kMinor +
                           ".99: no database in memory: IO error: No space left on device: "
                           "injected";
  InChild(
      [&] {
        on_self_test = [](rocksdb::Env* memory) { return new FullEnv(memory); };
        const auto extractor = NewRangeExtractor();
        for (int i = 0; i < 9; ++i) NewRangeExtractor();
        EXPECT_EQ(Outcome(*extractor), text);
        EXPECT_FALSE(ShowsRanges(*extractor));
        EXPECT_FALSE(ShowsRanges(*NewRangeExtractor()));
        EXPECT_EQ(num_self_tests, 4);
        ExpectScanFindsKeys({});
      },
      ("^bloomline: filters reject no range: the self-test " + text + "\n$").c_str());
}

TEST(RocksDBRangeSelfTest, WithoutMemoryTheNextExtractorTriesAgain) {
  InChild([] {
    on_self_test = [](rocksdb::Env* memory) -> rocksdb::Env* {
      delete memory;
      throw std::bad_alloc();
    };
    const auto extractor = NewRangeExtractor();
    ASSERT_NE(extractor, nullptr);
    EXPECT_EQ(Outcome(*extractor), "not done: out of memory");
    EXPECT_FALSE(ShowsRanges(*extractor));
    on_self_test = nullptr;
    EXPECT_TRUE(ShowsRanges(*NewRangeExtractor()));
    EXPECT_TRUE(ShowsRanges(*extractor));
    EXPECT_EQ(num_self_tests, 2);
  });
}

// No thread waits for another's self-test, and neither does a child.
TEST(RocksDBRangeSelfTest, OtherThreadsGoOnMeanwhile) {
  InChild([] {
    std::promise<void> began, end;
    on_self_test = [&](rocksdb::Env* memory) {
      began.set_value();
      end.get_future().wait();
      return memory;
    };
    std::thread first([&] { EXPECT_TRUE(ShowsRanges(*NewRangeExtractor())); });
    began.get_future().wait();
    const auto extractor = NewRangeExtractor();
    EXPECT_EQ(Outcome(*extractor), "in progress");
    EXPECT_FALSE(ShowsRanges(*extractor));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(ShowsRanges(*NewRangeExtractor()) ? 1 : 0);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    end.set_value();
    first.join();
    EXPECT_TRUE(ShowsRanges(*extractor));
    EXPECT_EQ(num_self_tests, 1);
  });
}

TEST(RocksDBRangeSelfTest, ChildrenInheritTheOutcome) {
  InChild([] {
    EXPECT_TRUE(ShowsRanges(*NewRangeExtractor()));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      _exit(ShowsRanges(*NewRangeExtractor()) && num_self_tests == 1 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
}

// SetOptions makes extractors while it holds the lock of a database, for which threads of the Env
// may wait.
TEST(RocksDBRangeSelfTest, NeedsNoThreadOfTheEnv) {
  InChild([] {
    rocksdb::Env* const env = rocksdb::Env::Default();
    static std::promise<void> end;
    static std::shared_future<void> ended = end.get_future().share();
    for (const auto pool : {rocksdb::Env::LOW, rocksdb::Env::HIGH, rocksdb::Env::BOTTOM}) {
      env->SetBackgroundThreads(1, pool);
      env->Schedule([](void*) { ended.wait(); }, nullptr, pool);
    }
    EXPECT_TRUE(ShowsRanges(*NewRangeExtractor()));
    for (const auto pool : {rocksdb::Env::LOW, rocksdb::Env::HIGH, rocksdb::Env::BOTTOM}) {
      EXPECT_EQ(env->GetBackgroundThreads(pool), 1);
      EXPECT_EQ(env->GetThreadPoolQueueLen(pool), 0U);
    }
    end.set_value();
  });
}

TEST(RocksDBRangeSelfTest, RunsWhenTheProgramEnds) {
  if (sizeof(void*) < 8) GTEST_SKIP() << "there are no tokens";
  const auto run = [] {
    std::atexit([] { std::fprintf(stderr, "%s\n", Outcome(*NewRangeExtractor()).c_str()); });
    std::exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "^passed by RocksDB .* ms\n$");
}

TEST(RocksDBRangeSelfTest, OptionStringsAreAsBefore) {
  const auto extractor = NewRangeExtractor();
  const rocksdb::ConfigOptions config;
  EXPECT_EQ(extractor->ToString(config).find("self_test"), std::string::npos);
  std::shared_ptr<const SliceTransform> made;
  const rocksdb::Status status =
      SliceTransform::CreateFromString(config, extractor->ToString(config), &made);
  EXPECT_TRUE(status.ok()) << status.ToString();
  std::string mismatch;
  EXPECT_TRUE(made->AreEquivalent(config, extractor.get(), &mismatch)) << mismatch;
}

}  // namespace
}  // namespace bloomline
