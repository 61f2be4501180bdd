// Ranges in RocksDB: iterators with the range extractor against total-order iterators on the same
// database, in lockstep, over generated databases. With BLOOMLINE_TEST_ROUNDS=N in the environment,
// each setting has N databases with more scans of each, and the number of compared answers is
// printed: 1e8 with 240, in 40 minutes.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/range_keys.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_ranges_test {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

constexpr char kRanges[] = "bloomline.ranges";
constexpr char kNoExtractor[] = "nullptr";
// RocksDB's own auto_prefix_mode loses short keys with longer prefixes.
constexpr char kOneByte[] = "rocksdb.FixedPrefix.1";

struct Setting {
  const char* name;
  const char* range_prefixes;
  Format format = Format::kCompact;
  bool is_partitioned = false;
  const rocksdb::Comparator* (*comparator)() = rocksdb::BytewiseComparator;
  bool says_no = true;  // of some ranges at least
  const char* extractor = kRanges;
  bool is_mixed = false;  // extractor, entries and policy change, those here are the first
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

const Setting kSettings[] = {
    {"auto", "auto"},
    {"auto_partitioned", "auto", Format::kCompact, true},
    {"bytes", "1:2:3:4", Format::kBlocked},
    {"bytes_partitioned", "1:2:3:4", Format::kBlocked, true},
    {"delimited", "after0x61:after0x00:after0xff"},
    {"delimited_partitioned", "after0x61:2", Format::kBlocked, true},
    {"long", "5:64", Format::kCompact, true},
    {"timestamps", "auto", Format::kCompact, false, TimestampComparator},
    {"timestamps_partitioned", "1:2:3:4", Format::kBlocked, true, TimestampComparator},
    {"mixed", "auto", Format::kCompact, false, rocksdb::BytewiseComparator, true, kRanges, true},
    {"no_entries", "", Format::kBlocked, false, rocksdb::BytewiseComparator, false},
    {"no_extractor", "auto", Format::kBlocked, true, rocksdb::BytewiseComparator, false,
     kNoExtractor},
    {"reverse", "1:2:3", Format::kBlocked, false, rocksdb::ReverseBytewiseComparator, false,
     kNoExtractor},
};
constexpr size_t kNumPlainSettings = 7;  // the first ones: those that "mixed" draws from

// Options of iterators that change how an iterator reads, not what it finds.
struct ReadOption {
  const char* name;
  void (*set)(rocksdb::ReadOptions* options);
};

// One at a time: RocksDB's assertions do not allow all pairs of them.
constexpr ReadOption kReadOptions[] = {
    {"the defaults", [](rocksdb::ReadOptions*) {}},
    {"readahead_size", [](rocksdb::ReadOptions* options) { options->readahead_size = 16 << 10; }},
    {"adaptive_readahead",
     [](rocksdb::ReadOptions* options) { options->adaptive_readahead = true; }},
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 701
    {"async_io", [](rocksdb::ReadOptions* options) { options->async_io = true; }},
#endif
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 806
    {"auto_readahead_size",
     [](rocksdb::ReadOptions* options) {
       options->auto_readahead_size = !options->auto_readahead_size;
     }},
#endif
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR < 1102  // 11.9: Prev crashes if scans write tombstones
    {"pin_data", [](rocksdb::ReadOptions* options) { options->pin_data = true; }},
#endif
    {"ignore_range_deletions",
     [](rocksdb::ReadOptions* options) { options->ignore_range_deletions = true; }},
};

// An iterator with the extractor, the same in total order, and their bounds.
struct Pair {
  std::string lower_bytes, upper_bytes, timestamp_bytes, oldest_bytes;
  Slice lower, upper, timestamp, oldest;
  bool is_tailing = false;
  bool is_forward = false;  // only Seek and Next
  const char* option = "";
  std::unique_ptr<rocksdb::Iterator> iterators[2];

  void MoveBounds(const std::string& new_lower, const std::string& new_upper) {
    lower = lower_bytes = new_lower;
    upper = upper_bytes = new_upper;
  }
};

class RocksDBRangesTest : public testing::TestWithParam<Setting> {
 protected:
  uint64_t Draw(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Draw(n) == 0; }
  bool has_timestamps() const { return comparator_->timestamp_size() != 0; }
  bool IsLess(const std::string& a, const std::string& b) const {
    return comparator_->CompareWithoutTimestamp(a, false, b, false) < 0;
  }
  void Expect(const Status& status) { EXPECT_TRUE(status.ok()) << status.ToString(); }

  // ---- Keys.

  std::string NewKey() { return shape_.Key(&random_); }
  std::string OldKey() { return keys_.empty() ? NewKey() : keys_[Draw(keys_.size())]; }
  std::string Near(const std::string& key) {
    return OneIn(100) ? key + std::string(1024, 'x') : KeyNear(&random_, key);
  }
  std::string AnyBound() { return Near(OneIn(2) ? OldKey() : NewKey()); }
  // The first is mostly below the second.
  std::pair<std::string, std::string> TwoBounds() {
    std::string low = AnyBound();
    std::string high = OneIn(3) ? AnyBound() : Near(low);
    if (IsLess(high, low) && !OneIn(16)) std::swap(low, high);
    return {low, high};
  }

  // ---- The database.

  const char* AnyExtractor() {
    constexpr const char* kExtractors[] = {kRanges, kRanges, kOneByte, kNoExtractor};
    return GetParam().is_mixed ? kExtractors[Draw(4)] : GetParam().extractor;
  }

  rocksdb::Options DatabaseOptions(const char* extractor) {
    const Setting& setting = GetParam().is_mixed ? kSettings[Draw(kNumPlainSettings)] : GetParam();
    RocksDBFilterOptions filter(FilterOptions{setting.format, 12, Draw(2)});
    filter.range_prefixes = setting.range_prefixes;
    constexpr double kMemory[] = {20, 1, 100, 400};
    filter.range_memory_percent = kMemory[round_ % 4];
    rocksdb::BlockBasedTableOptions table;
    table.block_size = 256;
    table.detect_filter_construct_corruption = OneIn(4);
    std::string error;
    table.filter_policy = NewRocksDBFilterPolicy(filter, &error);
    EXPECT_NE(table.filter_policy, nullptr) << error;
    if (GetParam().is_mixed && OneIn(6))
      table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    if (setting.is_partitioned) {
      PartitionFilters(128, &table);
      table.cache_index_and_filter_blocks = true;
    }
    rocksdb::Options options = WithTable(table);
    options.comparator = comparator_;
    options.compression = rocksdb::kNoCompression;
    Expect(rocksdb::MergeOperator::CreateFromString({}, "put", &options.merge_operator));
    options.statistics = statistics_;
    options.disable_auto_compactions = true;
    options.allow_ingest_behind = allows_behind_;
    options.write_buffer_size = 1 << 20;  // the log takes as much, and a file in memory is zeroed
    options.manifest_preallocation_size = 4 << 10;
    options.target_file_size_base = 4 << 10;
    options.max_bytes_for_level_base = 16 << 10;
    options.max_bytes_for_level_multiplier = 3;
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 1102
    options.min_tombstones_for_range_conversion = uint32_t(Draw(3));  // scans write tombstones
#endif
    Expect(rocksdb::SliceTransform::CreateFromString({}, extractor, &options.prefix_extractor));
    return options;
  }

  void Open() {
    extractor_ = AnyExtractor();
    Expect(OpenRocksDB(DatabaseOptions(extractor_), path_, &db_));
  }

  // Little-endian, as the comparator wants it.
  static std::string Timestamp(uint64_t time) {
    std::string bytes;
    for (int i = 0; i < 8; ++i, time >>= 8) bytes += char(time);
    return bytes;
  }
  void Put(const std::string& key) {
    keys_.push_back(key);
    const std::string value = std::to_string(random_());
    Expect(has_timestamps() ? db_->Put({}, key, Timestamp(++time_), value)
                            : db_->Put({}, key, value));
  }
  void DeleteRange() {
    const auto [begin, end] = TwoBounds();
    if (!IsLess(begin, end)) return;
    rocksdb::ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
    if (!has_timestamps()) Expect(db_->DeleteRange({}, family, begin, end));
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 708
    if (has_timestamps()) Expect(db_->DeleteRange({}, family, begin, end, Timestamp(++time_)));
#endif
  }
  // A key that is put once and deleted once, perhaps in another file.
  void PutAndDeleteOnce() {
    std::string key = NewKey();
    if (key.size() == shape_.start.size() + shape_.suffix.size()) return;
    key[shape_.start.size()] = 'o';
    if (!once_.insert(key).second) return;
    Put(key);
    keys_.pop_back();
    if (OneIn(8)) Expect(db_->Flush({}));
    Expect(has_timestamps() ? db_->SingleDelete({}, key, Timestamp(++time_))
                            : db_->SingleDelete({}, key));
  }
  void Write() {
    const uint64_t kind = Draw(24);
    if (kind == 0) {
      const std::string key = OneIn(2) ? OldKey() : NewKey();
      Expect(has_timestamps() ? db_->Delete({}, key, Timestamp(++time_)) : db_->Delete({}, key));
    } else if (kind == 1 && !has_timestamps()) {
      keys_.push_back(NewKey());
      Expect(db_->Merge({}, keys_.back(), "merged"));
    } else if (kind == 2) {
      if (OneIn(8)) DeleteRange();
    } else if (kind == 3) {
      PutAndDeleteOnce();
    } else {
      Put(NewKey());
    }
  }

  // A file from outside, over the other data or below it.
  void Ingest() {
    if (has_timestamps()) return;  // RocksDB 7.8 does not take such files
    const auto less = [&](const std::string& a, const std::string& b) { return IsLess(a, b); };
    std::set<std::string, decltype(less)> keys(less);
    while (keys.size() < 1 + keys_.size() % 16) keys.insert(OneIn(4) ? OldKey() : NewKey());
    const std::string path = folder_.Path("ingested");
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), DatabaseOptions(AnyExtractor()));
    Expect(writer.Open(path));
    for (const std::string& key : keys) {
      Expect(OneIn(8) ? writer.Delete(key) : writer.Put(key, "ingested"));
    }
    if (OneIn(4)) Expect(writer.DeleteRange(*keys.begin(), *keys.rbegin()));
    Expect(writer.Finish());
    rocksdb::IngestExternalFileOptions options;
    options.ingest_behind = allows_behind_ && OneIn(2);
    // What lies behind all data must not overlap what was put there before.
    const Status status = db_->IngestExternalFile({path}, options);
    EXPECT_TRUE(status.ok() || options.ingest_behind) << status.ToString();
    keys_.insert(keys_.end(), keys.begin(), keys.end());
  }

  void CompactRange() {
    const auto [begin, end] = TwoBounds();
    const Slice limits[] = {begin, end};
    const bool is_all = OneIn(2) || !IsLess(begin, end);
    rocksdb::CompactRangeOptions options;
    options.change_level = OneIn(2);
    options.target_level = 1 + int(Draw(4));
    const Status status =
        db_->CompactRange(options, is_all ? nullptr : &limits[0], is_all ? nullptr : &limits[1]);
    // Not every file may move to every level.
    EXPECT_TRUE(status.ok() || options.change_level) << status.ToString();
  }

  void Reopen() {
    kept_.clear();
    db_.reset();
    Open();
  }

  void ChangeExtractor() {
    if (!GetParam().is_mixed) return;
    // RocksDB's tailing iterators point to the extractor that they began with.
    const auto is_tailing = [](const auto& pair) { return pair->is_tailing; };
    kept_.erase(std::remove_if(kept_.begin(), kept_.end(), is_tailing), kept_.end());
    extractor_ = AnyExtractor();
    Expect(db_->SetOptions({{"prefix_extractor", extractor_}}));
  }

  void Event() {
    switch (Draw(16)) {
      case 0:
      case 1:
      case 2:
        return CompactRange();
      case 3:
      case 4:
        return Ingest();
      case 5:
        return ChangeExtractor();
      case 6:
        return Reopen();
      case 7:
        return CompareElsewhere(false);
      case 8:
        return CompareElsewhere(true);
      case 9:
        if (kept_.size() < 4) kept_.push_back(NewPair(db_.get(), nullptr));
        return;
      case 10:
        for (auto& pair : kept_) {
          EXPECT_EQ(pair->iterators[0]->Refresh().ok(), pair->iterators[1]->Refresh().ok());
        }
        return;
      default:
        return Expect(db_->Flush({}));
    }
  }

  // ---- Comparisons.

  std::unique_ptr<Pair> NewPair(rocksdb::DB* db, const rocksdb::Snapshot* snapshot) {
    auto pair = std::make_unique<Pair>();
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    if (!OneIn(8)) options.iterate_upper_bound = &pair->upper;
    if (OneIn(4)) options.iterate_lower_bound = &pair->lower;
    pair->timestamp = pair->timestamp_bytes = Timestamp(OneIn(4) ? Draw(time_ + 1) : time_ + 1000);
    if (has_timestamps()) options.timestamp = &pair->timestamp;
    pair->oldest = pair->oldest_bytes = Timestamp(Draw(time_ + 1));
    if (has_timestamps() && OneIn(4)) options.iter_start_ts = &pair->oldest;
    // RocksDB's tailing iterators ask other extractors for prefixes of keys that have none.
    options.tailing =
        snapshot == nullptr && !has_timestamps() && extractor_ != kOneByte && OneIn(8);
    pair->is_tailing = options.tailing;
    // RocksDB before 9.1: with iter_start_ts, only total order finds its place again after a turn,
    // and SeekToLast asserts.
    pair->is_forward = options.tailing || options.iter_start_ts != nullptr;
    const ReadOption& option = kReadOptions[Draw(std::size(kReadOptions))];
    option.set(&options);
    pair->option = option.name;
    if (has_timestamps()) options.pin_data = false;  // before 9.1, it then writes over keys
    const auto [lower, upper] = TwoBounds();
    pair->MoveBounds(lower, upper);
    // With bloomline's extractor alone, scans are exact without auto_prefix_mode, too.
    options.auto_prefix_mode = GetParam().is_mixed || OneIn(2);
    options.prefix_same_as_start =
        GetParam().extractor == kRanges && !GetParam().is_mixed && OneIn(8);
    pair->iterators[0].reset(db->NewIterator(options));
    options.auto_prefix_mode = options.prefix_same_as_start = false;
    options.total_order_seek = true;
    pair->iterators[1].reset(db->NewIterator(options));
    return pair;
  }

  // Whether the iterators have a key. It counts as an answer, as its absence does.
  bool Compare(const Pair& pair, const char* step) {
    std::string shown[2];
    for (const int i : {0, 1}) {
      rocksdb::Iterator* const iterator = pair.iterators[i].get();
      shown[i] = iterator->Valid() ? iterator->key().ToString() + "=" + iterator->value().ToString()
                                   : iterator->status().ToString();
    }
    ++num_compared_;
    if (shown[0] == shown[1]) return pair.iterators[0]->Valid();
    if (num_wrong_++ == 0) {
      ADD_FAILURE() << step << ", round " << round_ << ", tailing " << pair.is_tailing << ", "
                    << pair.option << ", [" << testing::PrintToString(pair.lower_bytes) << ", "
                    << testing::PrintToString(pair.upper_bytes)
                    << "): " << testing::PrintToString(shown[0]) << "; in total order "
                    << testing::PrintToString(shown[1]);
    }
    return false;
  }

  void Walk(Pair* pair, int num_seeks) {
    for (int seek = 0; seek < num_seeks; ++seek) {
      // RocksDB's tailing iterators drop what lies above the upper bound of their first Seek.
      if (!pair->is_tailing) {
        const auto [lower, upper] = TwoBounds();
        pair->MoveBounds(lower, upper);
      }
      const std::string target = OneIn(8) ? AnyBound() : pair->lower_bytes;
      const uint64_t kind = pair->is_forward ? 3 : Draw(20);
      for (auto& iterator : pair->iterators) {
        switch (kind) {
          case 0:
            iterator->SeekForPrev(target);
            break;
          case 1:
            iterator->SeekToFirst();
            break;
          case 2:
            iterator->SeekToLast();
            break;
          default:
            iterator->Seek(target);
        }
      }
      for (int step = 0; Compare(*pair, step == 0 ? "Seek" : "Next or Prev") && step < 4; ++step) {
        const bool is_backward = !pair->is_forward && OneIn(4);
        for (auto& iterator : pair->iterators) is_backward ? iterator->Prev() : iterator->Next();
      }
    }
  }

  void CompareIn(rocksdb::DB* db, int num_pairs) {
    const rocksdb::Snapshot* const snapshot = OneIn(2) ? db->GetSnapshot() : nullptr;
    for (int i = 0; i < num_pairs; ++i) Walk(NewPair(db, snapshot).get(), 4);
    if (snapshot != nullptr) db->ReleaseSnapshot(snapshot);
  }

  // In another database on the same files, with an extractor of its own.
  void CompareElsewhere(bool is_secondary) {
    std::unique_ptr<rocksdb::DB> db;
    const char* const extractor = std::exchange(extractor_, AnyExtractor());
    rocksdb::Options options = DatabaseOptions(extractor_);
    options.max_open_files = -1;  // secondaries need it
    Expect(is_secondary ? OpenRocksDBSecondary(options, path_, folder_.Path("secondary"), &db)
                        : OpenRocksDBReadOnly(options, path_, &db));
    for (int i = 0; db != nullptr && i < 2; ++i) {
      CompareIn(db.get(), 5);
      if (!is_secondary) continue;
      Write();
      Expect(db_->Flush({}));
      Expect(db->TryCatchUpWithPrimary());
    }
    extractor_ = extractor;
  }

  // Gets, too, of the empty key above all: range entries change nothing there.
  void CompareGets() {
    const std::string timestamp = Timestamp(time_);
    const Slice timestamp_slice = timestamp;
    rocksdb::ReadOptions options;
    if (has_timestamps()) options.timestamp = &timestamp_slice;
    std::vector<std::string> keys = {""};
    while (keys.size() < 40) keys.push_back(AnyBound());
    std::vector<std::string> values;
    const std::vector<Status> found = db_->MultiGet(options, {keys.begin(), keys.end()}, &values);
    options.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options));
    for (size_t i = 0; i < keys.size(); ++i) {
      iterator->Seek(keys[i]);
      const bool is_there = iterator->Valid() && iterator->key() == keys[i];
      std::string value;
      const Status alone = db_->Get(options, keys[i], &value);
      num_compared_ += 2;
      num_wrong_ += alone.ok() != is_there || (is_there && iterator->value() != value);
      num_wrong_ += found[i].ok() != is_there || (is_there && iterator->value() != values[i]);
    }
  }

  void RunRound() {
    path_ = folder_.Path(std::to_string(round_));
    keys_.clear();
    once_.clear();
    // Around the limits of fields. Few filters know anything behind them.
    shape_ = RandomShape(&random_, {0, 0, 0, 0, 0, 7, 60, 125, 1021});
    if (round_ == 0) shape_.start.clear();
    allows_behind_ = OneIn(3);
    Open();
    if (HasFailure()) return;
    for (int step = 0; step < 24 && num_wrong_ == 0; ++step) {
      for (int i = 0; i < 30; ++i) Write();
      Event();
      CompareIn(db_.get(), rounds_ == nullptr ? 6 : 150);
      for (auto& pair : kept_) Walk(pair.get(), 3);
    }
    CompareGets();
    kept_.clear();
    db_.reset();
    Expect(rocksdb::DestroyDB(path_, rocksdb::Options()));
  }

  const rocksdb::Comparator* const comparator_ = GetParam().comparator();
  const std::shared_ptr<rocksdb::Statistics> statistics_ = rocksdb::CreateDBStatistics();
  const TempDir folder_;
  const char* const rounds_ = std::getenv("BLOOMLINE_TEST_ROUNDS");
  std::mt19937_64 random_;
  int round_ = 0;
  uint64_t num_compared_ = 0;
  uint64_t num_wrong_ = 0;
  // What changes with each round:
  std::string path_;
  RangeKeyShape shape_;
  bool allows_behind_ = false;
  uint64_t time_ = 0;
  const char* extractor_ = kNoExtractor;
  std::vector<std::string> keys_;
  std::set<std::string> once_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<std::unique_ptr<Pair>> kept_;  // over whatever happens but opening anew
};

TEST_P(RocksDBRangesTest, IteratorsShowWhatTotalOrderShows) {
  if (comparator_ == nullptr) GTEST_SKIP() << "RocksDB has no such comparator";
  const std::string name = GetParam().name;
  std::seed_seq seed(name.begin(), name.end());
  random_.seed(seed);
  const int num_rounds = rounds_ == nullptr ? Repetitions(4, 2) : std::atoi(rounds_);
  for (; round_ < num_rounds && !HasFailure(); ++round_) RunRound();
  EXPECT_EQ(num_wrong_, 0U);
  const uint64_t num_no = RangeQueries(*statistics_).second;
  if (rounds_ != nullptr) {
    std::printf("%s: %llu answers compared, %llu wrong; files skipped: %llu\n", name.c_str(),
                static_cast<unsigned long long>(num_compared_),
                static_cast<unsigned long long>(num_wrong_),
                static_cast<unsigned long long>(num_no));
  }
  if (GetParam().says_no) {
    EXPECT_GT(num_no, num_compared_ / 500) << "of " << num_compared_;
  } else {
    EXPECT_EQ(num_no, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, RocksDBRangesTest, testing::ValuesIn(kSettings),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bloomline::tests::rocksdb_ranges_test
