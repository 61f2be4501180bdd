// RewriteFilters where something goes wrong or gets in its way: damaged files, full disks,
// cancelling, other compactions, wrong options.
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rewrite_filters.h"
#include "src/engines/rocksdb/rewrite/filter_facts.h"
#include "tests/engines/rewrite_database.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_rewrite_faults_test {
namespace {

constexpr uint64_t kKeys = Repetitions(12000);

// Full when a test says so: in what it tells, or in what it does to tables.
class SmallDisk : public rocksdb::FileSystemWrapper {
 public:
  SmallDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SmallDisk"; }
  rocksdb::IOStatus GetFreeSpace(const std::string&, const rocksdb::IOOptions&, uint64_t* free,
                                 rocksdb::IODebugContext*) override {
    *free = free_bytes;
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (has_no_room_for_tables && name.find(".sst") != std::string::npos) {
      return rocksdb::IOStatus::NoSpace("injected");
    }
    return FileSystemWrapper::NewWritableFile(name, options, file, debug);
  }

  std::atomic<uint64_t> free_bytes{uint64_t{1} << 40};
  std::atomic<bool> has_no_room_for_tables{false};
};

class RewriteFaultsTest : public testing::Test {
 protected:
  RewriteFaultsTest() : db_(Options(), dir_.Path("db")) {
    db_.OpenWithStockFilters();
    model_ = db_.Write(kKeys);
    db_.FlushAndWait();
    db_.options().disable_auto_compactions = true;
    db_.Open(BlockedPolicy());
  }

  rocksdb::Options Options() {
    rocksdb::Options options = RewriteDatabase::SmallFiles();
    options.env = env_.get();
    return options;
  }

  std::string Refusal(const RewriteOptions& options) {
    std::string error;
    EXPECT_FALSE(RewriteFilters(db_.get(), db_->DefaultColumnFamily(), options, nullptr, &error));
    return error;
  }

  TempDir dir_;
  const std::shared_ptr<SmallDisk> disk_ = std::make_shared<SmallDisk>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
  RewriteDatabase::Model model_;
  RewriteDatabase db_;
};

uint64_t Count(const RewriteReport& report, RewriteSkip reason) {
  return static_cast<uint64_t>(
      std::count_if(report.skipped.begin(), report.skipped.end(),
                    [&](const RewriteReport::Skipped& file) { return file.reason == reason; }));
}

TEST(HasOtherFilterTest, ComparesKindAndBits) {
  constexpr char kBlocked[] = "bloomline blocked", kRanges[] = "bloomline blocked, ranges";
  constexpr auto kBlocks = engine::SizeRounding::kBlocks,
                 kAllocations = engine::SizeRounding::kAllocations,
                 kFewSizes = engine::SizeRounding::kFewSizes;
  const struct {
    const char* kind;
    double bits;
    const char* wanted_kind;
    double wanted_bits;
    engine::SizeRounding rounding;
    bool is_other;
    double keys = 1e6;
  } kCases[] = {
      {"none", 0, "none", 0, kBlocks, false},
      {"none", 0, kBlocked, 10, kBlocks, true},
      {"bloomline compact (before 0.4.0)", 10, kBlocked, 10, kBlocks, true},
      {kBlocked, 10, kBlocked, 10, kBlocks, false},
      {kBlocked, 9.81, kBlocked, 10, kBlocks, false},
      {kBlocked, 10.19, kBlocked, 10, kBlocks, false},
      {kBlocked, 9.79, kBlocked, 10, kBlocks, true},
      {kBlocked, 10.21, kBlocked, 10, kBlocks, true},
      {kBlocked, 7.4, kBlocked, 10, kFewSizes, false},
      {kBlocked, 7.2, kBlocked, 10, kFewSizes, true},
      {kBlocked, 12.6, kBlocked, 10, kFewSizes, false},
      {kBlocked, 12.8, kBlocked, 10, kFewSizes, true},
      // Pages of 4 KiB are 0.03 bits for each of a million keys.
      {kBlocked, 10.22, kBlocked, 10, kAllocations, false},
      {kBlocked, 10.24, kBlocked, 10, kAllocations, true},
      // Sizes are rounded up to blocks of 64 bytes, which are 3.5 bits for each of 145 keys.
      {kBlocked, 18.1, kBlocked, 21.5, kBlocks, false, 145},
      {kBlocked, 18.1, kBlocked, 22.3, kBlocks, true, 145},
      {kBlocked, 18.1, kBlocked, 22.3, kAllocations, false, 145},
      // What nothing queries goes.
      {kRanges, 10, kBlocked, 10, kBlocks, true},
  };
  for (const auto& c : kCases) {
    engine::FileFilter filter, wanted;
    filter.kind = c.kind;
    filter.bits_per_key = c.bits;
    filter.bytes = static_cast<uint64_t>(c.bits * c.keys / 8);
    wanted.kind = c.wanted_kind;
    wanted.bits_per_key = c.wanted_bits;
    EXPECT_EQ(engine::HasOtherFilter(filter, wanted, c.rounding), c.is_other)
        << c.kind << " " << c.bits << ", wanted " << c.wanted_bits;
  }
}

TEST_F(RewriteFaultsTest, SaysWhyItCannotRewrite) {
  std::string error;
  EXPECT_FALSE(RewriteFilters(nullptr, db_->DefaultColumnFamily(), {}, nullptr, &error));
  EXPECT_EQ(error, "db is null; allowed: an open database");
  EXPECT_FALSE(RewriteFilters(db_.get(), nullptr, {}, nullptr, &error));
  EXPECT_EQ(error, "column_family is null; allowed: a handle, such as DB::DefaultColumnFamily()");
  db_->DisableManualCompaction();
  EXPECT_NE(Refusal({}).find("allowed: manual compactions (DB::EnableManualCompaction)"),
            std::string::npos);
  db_.Open(nullptr);
  EXPECT_NE(Refusal({}).find("filter_policy is null; allowed: the policy"), std::string::npos);
  db_.Open(BlockedPolicy());
  db_.Close();
  std::unique_ptr<rocksdb::DB> db;
  ExpectOk(OpenRocksDBReadOnly(db_.options(), dir_.Path("db"), &db));
  RewriteReport report;
  EXPECT_FALSE(RewriteFilters(db.get(), db->DefaultColumnFamily(), {}, &report, &error));
  EXPECT_NE(error.find("Not supported operation in read only mode"), std::string::npos) << error;
  EXPECT_EQ(Count(report, RewriteSkip::kLeft), report.files_to_rewrite);
}

TEST_F(RewriteFaultsTest, SkipsDamagedFilesAndGoesOn) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  files.erase(std::remove_if(files.begin(), files.end(),
                             [](const rocksdb::LiveFileMetaData& file) { return file.level == 0; }),
              files.end());
  ASSERT_GT(files.size(), 7u);
  const std::string data = files[3].db_path + files[3].name;
  const std::string footer = files[7].db_path + files[7].name;
  const auto damage = [](const std::string& path, std::streamoff at, std::ios::seekdir from,
                         const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at, from);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  db_.Close();
  const std::string end = ReadFile(footer).substr(files[7].size - 8);
  damage(data, 100, std::ios::beg, "damage");
  damage(footer, -8, std::ios::end, "damage");
  db_.options().paranoid_checks = false;  // or the database does not open
  const std::shared_ptr<FilterAccount> account = NewFilterAccount();
  db_.options().listeners = {account};
  db_.Open(BlockedPolicy());
  std::string error;
  EXPECT_FALSE(account->CountFiles(db_.get(), &error));
  EXPECT_TRUE(error.find(files[3].name) != error.npos || error.find(files[7].name) != error.npos)
      << error;
  const RewriteReport report = db_.Rewrite();
  EXPECT_EQ(Count(report, RewriteSkip::kDamaged), 2u) << report.ToString();
  EXPECT_EQ(report.skipped.size(), 2u);
  EXPECT_EQ(report.files_rewritten, files.size() - 2);
  const std::string text = report.ToString();
  EXPECT_LT(text.find("Not done, damaged: 2 files"), text.find("Rewritten: ")) << text;
  EXPECT_NE(text.find(data), std::string::npos) << text;

  db_.Close();
  damage(footer, -8, std::ios::end, end);
  db_.options().paranoid_checks = true;
  db_.Open(BlockedPolicy());
  const RewriteReport again = db_.Rewrite();
  EXPECT_EQ(Count(again, RewriteSkip::kDamaged), 1u) << again.ToString();
  EXPECT_EQ(again.files_rewritten, 1u);
  ExpectOk(db_->Put({}, "new", "value"));
  ExpectOk(db_->Flush({}));
}

TEST_F(RewriteFaultsTest, SkipsFilesWithoutRoom) {
  disk_->free_bytes = (256 << 20) + 1000;
  const auto shape = db_.GetShape();
  const RewriteReport report = db_.Rewrite();
  EXPECT_EQ(Count(report, RewriteSkip::kNoSpace), report.files_to_rewrite) << report.ToString();
  EXPECT_EQ(report.files_rewritten, 0u);
  EXPECT_NE(report.ToString().find("are free; needed:"), std::string::npos) << report.ToString();
  ExpectOk(db_->Put({}, RewriteKey(0), model_[RewriteKey(0)]));
  disk_->free_bytes = uint64_t{1} << 40;
  EXPECT_TRUE(db_.Rewrite().IsComplete());
  EXPECT_EQ(db_.GetShape(), shape);
  db_.ExpectKeys(model_);
}

TEST_F(RewriteFaultsTest, LosesNothingOnAFullDisk) {
  disk_->has_no_room_for_tables = true;
  const std::string error = Refusal({});
  EXPECT_NE(error.find("No space left on device"), std::string::npos) << error;
  EXPECT_NE(error.find("RocksDB may refuse writes until DB::Resume"), std::string::npos) << error;
  disk_->has_no_room_for_tables = false;
  db_.ExpectKeys(model_);
  db_.Open(BlockedPolicy());
  EXPECT_TRUE(db_.Rewrite().IsComplete());
  ExpectOk(db_->Put({}, RewriteKey(0), model_[RewriteKey(0)]));
  db_.ExpectKeys(model_);
}

TEST_F(RewriteFaultsTest, EndsWhenCancelledAndGoesOnLater) {
  std::atomic<bool> cancel{false};
  RewriteOptions options;
  options.cancel = &cancel;
  uint64_t calls = 0;
  options.progress = [&](const RewriteProgress& progress) {
    EXPECT_EQ(progress.files_done, calls);
    if (++calls == 5) cancel = true;
  };
  const RewriteReport first = db_.Rewrite(options);
  EXPECT_EQ(first.ended_by, "cancelled");
  EXPECT_EQ(first.files_rewritten, 4u);  // no compaction begins after it
  EXPECT_EQ(Count(first, RewriteSkip::kLeft), first.files_to_rewrite - first.files_rewritten);
  EXPECT_FALSE(first.IsComplete());

  RewriteProgress last;
  options = {};
  options.progress = [&](const RewriteProgress& progress) { last = progress; };
  const RewriteReport second = db_.Rewrite(options);
  EXPECT_TRUE(second.IsComplete()) << second.ToString();
  EXPECT_EQ(second.files_to_rewrite, first.files_to_rewrite - first.files_rewritten);
  EXPECT_EQ(last.files_done, second.files_to_rewrite);
  EXPECT_EQ(last.bytes_done, second.bytes_to_rewrite);
  db_.ExpectKeys(model_);
}

TEST_F(RewriteFaultsTest, KeepsToItsSpeed) {
  RewriteOptions options;
  options.dry_run = true;
  options.bytes_per_second = 1 << 20;
  const RewriteReport planned = db_.Rewrite(options);
  EXPECT_EQ(planned.files_rewritten, 0u);
  EXPECT_EQ(Count(planned, RewriteSkip::kLeft), planned.files_to_rewrite);

  options = {};
  options.bytes_per_second = 2 * planned.bytes_to_rewrite;  // half a second
  const RewriteReport report = db_.Rewrite(options);
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_GT(report.seconds, 0.35);
}

// Gets, writes and automatic compactions beside it.
TEST_F(RewriteFaultsTest, WorksBesideReadersAndWriters) {
  db_.options().disable_auto_compactions = false;
  db_.Open(BlockedPolicy());
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0};
  std::atomic<uint64_t> gets{0};
  std::thread reader([&] {
    std::string value;
    for (uint64_t i = 0; !stop; i += 17) {
      const std::string key = RewriteKey(i % kKeys);
      if (!db_->Get({}, key, &value).ok()) ++wrong;
      if (!db_->Get({}, key + "x", &value).IsNotFound()) ++wrong;
      gets += 2;
    }
  });
  uint64_t written = 0;
  std::thread writer([&] {
    for (uint64_t i = 0; !stop; i += 13) {
      const std::string key = RewriteKey(i % kKeys);
      model_[key] = "new" + std::to_string(i) + std::string(60, 'n');
      ExpectOk(db_->Put({}, key, model_[key]));
      ++written;
    }
  });
  uint64_t rewritten = 0;
  // Back and forth, so that there is always something to do.
  for (int round = 0; round < 8; ++round) {
    ExpectOk(db_->SetOptions({{"block_based_table_factory",
                               round % 2 == 0 ? "{filter_policy={id=bloomline;format=blocked};}"
                                              : "{filter_policy={id=bloomline;format=bloom};}"}}));
    const RewriteReport report = db_.Rewrite();
    EXPECT_EQ(Count(report, RewriteSkip::kBusy), report.skipped.size()) << report.ToString();
    rewritten += report.files_rewritten;
  }
  stop = true;
  reader.join();
  writer.join();
  EXPECT_EQ(wrong, 0u) << "of " << gets;
  EXPECT_GT(rewritten, 0u);  // in 8 rounds; how many files there are depends on the machine
  EXPECT_GT(written, 100u);
  db_.ExpectKeys(model_);
  db_.Open(BlockedPolicy());
  db_.ExpectKeys(model_);
}

// Calls a test when a compaction begins to write, has written a file, and ends.
class Listener : public rocksdb::EventListener {
 public:
  void OnTableFileCreationStarted(const rocksdb::TableFileCreationBriefInfo& info) override {
    if (info.reason == rocksdb::TableFileCreationReason::kCompaction && writes) writes();
  }
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    if (info.reason == rocksdb::TableFileCreationReason::kCompaction && has_written) has_written();
  }
  void OnCompactionCompleted(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override {
    has_ended = true;
  }

  std::function<void()> writes;
  std::function<void()> has_written;
  std::atomic<bool> has_ended{false};
};

TEST_F(RewriteFaultsTest, SkipsFilesOfOtherCompactions) {
  // One of all files begins when the rewrite has chosen the first, and holds them until it may end.
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_end{false};
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  const auto listener = std::make_shared<Listener>();
  listener->writes = [&] {
    if (has_begun.exchange(true)) return;
    while (!may_end) sleep();
  };
  db_.options().listeners = {listener};
  db_.Open(BlockedPolicy());
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.name);
  std::thread other;
  RewriteOptions options;
  options.progress = [&](const RewriteProgress&) {
    if (other.joinable()) return;
    other = std::thread([&] {
      ExpectOk(db_->CompactFiles({}, names, db_.options().num_levels - 1));
      has_begun = true;  // if it failed before it wrote
    });
    while (!has_begun) sleep();
  };
  const RewriteReport first = db_.Rewrite(options);
  EXPECT_GT(first.files_to_rewrite, 1u) << "the first is chosen, the others are busy before";
  EXPECT_EQ(Count(first, RewriteSkip::kBusy), first.files_to_rewrite) << first.ToString();
  may_end = true;
  other.join();
  EXPECT_TRUE(db_.Rewrite().IsComplete());
  db_.ExpectKeys(model_);
}

// While the first compaction writes.
TEST_F(RewriteFaultsTest, AFamilyThatIsDroppedIsComplete) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  std::atomic<bool> is_dropped{false};
  const auto listener = std::make_shared<Listener>();
  listener->writes = [&] {
    if (!is_dropped.exchange(true)) ExpectOk(db_->DropColumnFamily(family));
  };
  db_.options().listeners = {listener};
  db_.Open(BlockedPolicy());
  ExpectOk(db_->CreateColumnFamily(db_.options(), "dropped", &family));
  for (uint64_t i = 0; i < 300; ++i) {
    ExpectOk(db_->Put({}, family, RewriteKey(i), "value"));
    if (i % 100 == 99) ExpectOk(db_->Flush({}, family));
  }
  RewriteOptions options;
  options.include_level0 = true;
  options.all_files = true;
  const RewriteReport report = db_.Rewrite(options, family);
  EXPECT_TRUE(is_dropped);
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_EQ(report.files_rewritten + report.files_gone, 3u) << report.ToString();
  EXPECT_NE(report.ToString().find("dropped with the family"), std::string::npos);
  ExpectOk(db_->DestroyColumnFamilyHandle(family));
  db_.ExpectKeys(model_);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_rewrite_faults_test
