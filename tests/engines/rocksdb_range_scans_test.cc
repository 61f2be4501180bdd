// RangeScan in RocksDB: iterators that skip tables against iterators that read all, with the same
// bounds and in lockstep, over generated databases. With BLOOMLINE_TEST_ROUNDS=N in the
// environment, each setting has N databases with more scans of each, and the number of compared
// answers is printed.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/utilities/write_batch_with_index.h>
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

#include "bloomline/rocksdb_range_filter.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/range_keys.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_range_scans_test {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

// In no order of bytes, but many keys are in it: a zero is above all bytes.
class ZeroLast : public rocksdb::Comparator {
 public:
  static const rocksdb::Comparator* Get() {
    static const ZeroLast comparator;
    return &comparator;
  }
  int Compare(const Slice& a, const Slice& b) const override { return Of(a).compare(Of(b)); }
  const char* Name() const override { return "test.ZeroLast"; }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static std::string Of(const Slice& key) {
    std::string order;
    for (const char byte : key.ToStringView()) order += char(byte - 1);
    return order;
  }
};

struct Setting {
  const char* name;
  const char* prefixes;
  Format format = Format::kRibbon;
  const rocksdb::Comparator* (*comparator)() = rocksdb::BytewiseComparator;
  void (*change)(rocksdb::Options* options) = [](rocksdb::Options*) {};
  bool skips = true;
  bool is_mixed = false;  // the range filter's options change, and some tables have none
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

void WithBlobs(rocksdb::Options* options) {
  options->enable_blob_files = true;
  options->min_blob_size = 4;
}
void WithUniversal(rocksdb::Options* options) {
  options->compaction_style = rocksdb::kCompactionStyleUniversal;
}
void WithFifo(rocksdb::Options* options) {
  options->compaction_style = rocksdb::kCompactionStyleFIFO;
  options->compaction_options_fifo.max_table_files_size = 1 << 30;
}
// RocksDB's own auto_prefix_mode loses short keys with longer prefixes.
void WithPrefixes(rocksdb::Options* options) {
  options->prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

const Setting kSettings[] = {
    {"auto", "auto"},
    {"bytes", "1:2:3:4", Format::kBlocked},
    {"delimited", "after0x61:after0x00:after0xff"},
    {"long", "5:64"},
    {"mixed", "auto", Format::kRibbon, rocksdb::BytewiseComparator, [](rocksdb::Options*) {}, true,
     true},
    {"universal", "auto", Format::kBlocked, rocksdb::BytewiseComparator, WithUniversal},
    {"fifo", "1:after0x2f", Format::kRibbon, rocksdb::BytewiseComparator, WithFifo},
    {"blobs", "auto", Format::kRibbon, rocksdb::BytewiseComparator, WithBlobs},
    {"prefixes", "auto", Format::kRibbon, rocksdb::BytewiseComparator, WithPrefixes},
    {"timestamps", "1:2:3:4", Format::kBlocked, TimestampComparator, [](rocksdb::Options*) {},
     false},
    {"reverse", "1:2:3", Format::kBlocked, rocksdb::ReverseBytewiseComparator,
     [](rocksdb::Options*) {}, false},
    {"zero_last", "auto", Format::kBlocked, ZeroLast::Get, [](rocksdb::Options*) {}, false},
};
constexpr size_t kNumPlainSettings = 4;  // the first ones: those that "mixed" draws from

// An iterator with a scan, one with its bounds alone, and what they refer to.
struct Pair {
  std::vector<RangeScan::Range> ranges;
  std::unique_ptr<RangeScan> scan;
  std::string timestamp_bytes, oldest_bytes;
  Slice timestamp, oldest;
  bool is_forward = false;  // only Seek and Next
  std::string what;
  std::unique_ptr<rocksdb::WriteBatchWithIndex> batch;
  std::unique_ptr<rocksdb::Iterator> iterators[2];
};

class RocksDBRangeScansTest : public testing::TestWithParam<Setting> {
 protected:
  using Family = rocksdb::ColumnFamilyHandle;

  uint64_t Draw(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Draw(n) == 0; }
  bool has_timestamps() const { return comparator_->timestamp_size() != 0; }
  bool has_range_deletions() const { return !has_timestamps(); }
  bool IsLess(const std::string& a, const std::string& b) const {
    return comparator_->CompareWithoutTimestamp(a, false, b, false) < 0;
  }
  bool IsWithin(const std::string& key, const RangeScan::Range& range) const {
    return !IsLess(key, range.lower) && IsLess(key, range.upper);
  }
  void Expect(const Status& status) { EXPECT_TRUE(status.ok()) << status.ToString(); }

  // ---- Keys.

  std::string NewKey() { return shape_.Key(&random_); }
  // Unlike all others; empty if there is no room for the mark.
  std::string NewKeyWith(char mark) {
    std::string key = NewKey();
    if (key.size() == shape_.start.size() + shape_.suffix.size()) return "";
    key[shape_.start.size()] = mark;
    return key;
  }
  std::string OldKey() { return keys_.empty() ? NewKey() : keys_[Draw(keys_.size())]; }
  std::string AnyBound() {
    const std::string key = OneIn(2) ? OldKey() : NewKey();
    return OneIn(100) ? key + std::string(1024, 'x') : KeyNear(&random_, key);
  }
  // The first is mostly below the second.
  RangeScan::Range AnyRange() {
    RangeScan::Range range = {AnyBound(), ""};
    range.upper = OneIn(3) ? AnyBound() : KeyNear(&random_, range.lower);
    if (IsLess(range.upper, range.lower) && !OneIn(16)) std::swap(range.lower, range.upper);
    return range;
  }

  // ---- The database: two families with one filter.

  rocksdb::Options DatabaseOptions() {
    const bool is_mixed = GetParam().is_mixed;
    const Setting& setting = is_mixed ? kSettings[Draw(kNumPlainSettings)] : GetParam();
    RangeFilterOptions filter;
    filter.prefixes = setting.prefixes;
    filter.format = setting.format;
    constexpr double kMemory[] = {20, 1, 100, 400};
    filter.memory_percent = kMemory[round_ % 4];
    filter.max_bytes_per_table = OneIn(4) ? 4096 : 0;
    rocksdb::Options options;
    rocksdb::BlockBasedTableOptions table;
    table.block_size = 256;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.create_if_missing = options.create_missing_column_families = true;
    if (filter_ == nullptr || is_mixed) filter_ = NewRangeFilter(filter);
    EXPECT_NE(filter_, nullptr);
    if (!is_mixed || !OneIn(4)) options.table_properties_collector_factories.push_back(filter_);
    options.comparator = comparator_;
    options.compression = rocksdb::kNoCompression;
    Expect(rocksdb::MergeOperator::CreateFromString({}, "put", &options.merge_operator));
    options.disable_auto_compactions = true;
    options.allow_ingest_behind = allows_behind_;
    options.write_buffer_size = 1 << 20;  // the log takes as much, and a file in memory is zeroed
    options.manifest_preallocation_size = 4 << 10;
    options.target_file_size_base = 4 << 10;
    options.max_bytes_for_level_base = 16 << 10;
    options.max_bytes_for_level_multiplier = 3;
    GetParam().change(&options);
    return options;
  }

  void Open() {
    const rocksdb::Options options = DatabaseOptions();
    Expect(
        OpenRocksDB(options, path_, {{"default", options}, {"other", options}}, &families_, &db_));
  }
  void Close() {
    kept_.clear();
    for (Family* const family : families_) Expect(db_->DestroyColumnFamilyHandle(family));
    families_.clear();
    db_.reset();
  }
  Family* AnyFamily() { return families_[OneIn(4) ? 1 : 0]; }

  // Little-endian, as the comparator wants it.
  static std::string Timestamp(uint64_t time) {
    std::string bytes;
    for (int i = 0; i < 8; ++i, time >>= 8) bytes += char(time);
    return bytes;
  }
  void Put(Family* family, const std::string& key) {
    keys_.push_back(key);
    const std::string value = std::to_string(random_());
    Expect(has_timestamps() ? db_->Put({}, family, key, Timestamp(++time_), value)
                            : db_->Put({}, family, key, value));
  }
  // A key that is put once and deleted once, perhaps in another file.
  void PutAndDeleteOnce(Family* family) {
    const std::string key = NewKeyWith('o');
    if (key.empty() || !once_.insert(key).second) return;
    Put(family, key);
    keys_.pop_back();
    if (OneIn(8)) Expect(db_->Flush({}, family));
    Expect(has_timestamps() ? db_->SingleDelete({}, family, key, Timestamp(++time_))
                            : db_->SingleDelete({}, family, key));
  }
  void Write() {
    Family* const family = AnyFamily();
    const uint64_t kind = Draw(24);
    const std::string key = OneIn(2) ? OldKey() : NewKey();
    if (kind < 3) {
      Expect(has_timestamps() ? db_->Delete({}, family, key, Timestamp(++time_))
                              : db_->Delete({}, family, key));
    } else if (kind < 6 && !has_timestamps()) {
      keys_.push_back(key);
      Expect(db_->Merge({}, family, key, "merged"));
    } else if (kind == 6) {
      const RangeScan::Range range = AnyRange();
      const bool is_range = has_range_deletions() && IsLess(range.lower, range.upper);
      if (is_range && OneIn(6)) Expect(db_->DeleteRange({}, family, range.lower, range.upper));
    } else if (kind == 7) {
      PutAndDeleteOnce(family);
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 705
    } else if (kind == 8 && !has_timestamps()) {
      // RocksDB 7.8 cannot merge with entities.
      const std::string entity = NewKeyWith('e');
      if (entity.empty()) return;
      Expect(db_->PutEntity({}, family, entity, {{"", "entity"}, {"column", "value"}}));
#endif
    } else {
      Put(family, NewKey());
    }
  }

  // A file from outside, over the other data or below it.
  void Ingest() {
    if (has_timestamps()) return;  // RocksDB 7.8 does not take such files
    const auto less = [&](const std::string& a, const std::string& b) { return IsLess(a, b); };
    std::set<std::string, decltype(less)> keys(less);
    while (keys.size() < 1 + keys_.size() % 16) keys.insert(OneIn(4) ? OldKey() : NewKey());
    const std::string path = folder_.Path("ingested");
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), DatabaseOptions());
    Expect(writer.Open(path));
    for (const std::string& key : keys) {
      Expect(OneIn(8) ? writer.Delete(key) : writer.Put(key, "ingested"));
    }
    if (OneIn(4)) Expect(writer.DeleteRange(*keys.begin(), *keys.rbegin()));
    Expect(writer.Finish());
    rocksdb::IngestExternalFileOptions options;
    options.ingest_behind = allows_behind_ && OneIn(2);
    // What lies behind all data must not overlap what was put there before.
    const Status status = db_->IngestExternalFile(AnyFamily(), {path}, options);
    EXPECT_TRUE(status.ok() || options.ingest_behind) << status.ToString();
    keys_.insert(keys_.end(), keys.begin(), keys.end());
  }

  void CompactRange() {
    const RangeScan::Range range = AnyRange();
    const Slice limits[] = {range.lower, range.upper};
    const bool is_all = OneIn(2) || !IsLess(range.lower, range.upper);
    rocksdb::CompactRangeOptions options;
    options.change_level = OneIn(2);
    options.target_level = 1 + int(Draw(4));
    const Status status = db_->CompactRange(options, AnyFamily(), is_all ? nullptr : &limits[0],
                                            is_all ? nullptr : &limits[1]);
    // Not every file may move to every level.
    EXPECT_TRUE(status.ok() || options.change_level) << status.ToString();
  }

  void Event() {
    switch (Draw(14)) {
      case 0:
      case 1:
      case 2:
        return CompactRange();
      case 3:
      case 4:
        return Ingest();
      case 5:
        Close();
        return Open();
      case 6:
        return CompareInSecondary();
      case 7:
        return CompareInCheckpoint();
      case 8:
        if (kept_.size() < 4) kept_.push_back(NewPair(db_.get(), AnyFamily(), nullptr));
        return;
      case 9:
        for (auto& pair : kept_) {
          EXPECT_EQ(pair->iterators[0]->Refresh().ok(), pair->iterators[1]->Refresh().ok());
        }
        return;
      default:
        return Expect(db_->Flush({}, AnyFamily()));
    }
  }

  // ---- Comparisons.

  std::unique_ptr<Pair> NewPair(rocksdb::DB* db, Family* family,
                                const rocksdb::Snapshot* snapshot) {
    auto pair = std::make_unique<Pair>();
    const size_t num_ranges = !has_timestamps() && OneIn(6) ? 2 : 1;
    while (pair->ranges.size() < num_ranges) pair->ranges.push_back(AnyRange());
    pair->scan = std::make_unique<RangeScan>(OneIn(8) ? nullptr : filter_, pair->ranges);
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    pair->timestamp = pair->timestamp_bytes = Timestamp(OneIn(4) ? Draw(time_ + 1) : time_ + 1000);
    if (has_timestamps()) options.timestamp = &pair->timestamp;
    pair->oldest = pair->oldest_bytes = Timestamp(Draw(time_ + 1));
    if (has_timestamps() && OneIn(4)) options.iter_start_ts = &pair->oldest;
    const bool has_prefixes = GetParam().change == &WithPrefixes;
    // RocksDB's tailing iterators ask for prefixes of keys that have none, and read blobs by a
    // version that may be gone.
    const bool may_tail = !has_prefixes && GetParam().change != &WithBlobs && !has_timestamps();
    options.tailing = may_tail && snapshot == nullptr && db == db_.get() && OneIn(8);
    if (options.tailing) pair->what = "tailing";
    // RocksDB before 9.1: with iter_start_ts, only total order finds its place again after a turn,
    // and SeekToLast asserts.
    pair->is_forward = options.tailing || options.iter_start_ts != nullptr;
    options.ignore_range_deletions = OneIn(16);
    options.readahead_size = OneIn(8) ? 16 << 10 : 0;
    options.async_io = OneIn(8);
    RangeScan::TableFilter own_filter;
    if (OneIn(8)) {  // whatever it says
      pair->what += " table_filter";
      own_filter = [](const rocksdb::TableProperties& table) { return table.num_entries % 4 != 0; };
    }
    options.total_order_seek = !has_prefixes || OneIn(2);
    rocksdb::ReadOptions all = options;
    all.table_filter = own_filter;
    all.total_order_seek = true;
    options.auto_prefix_mode = !options.total_order_seek;
    if (OneIn(4)) RangeScan(filter_, AnyBound(), AnyBound()).Apply(&options);  // of another scan
    pair->scan->Apply(&options, own_filter);
    all.iterate_lower_bound = options.iterate_lower_bound;
    all.iterate_upper_bound = options.iterate_upper_bound;
    pair->iterators[0].reset(db->NewIterator(options, family));
    pair->iterators[1].reset(db->NewIterator(all, family));
    if (!has_timestamps() && db == db_.get() && !options.tailing && OneIn(8)) AddBatch(pair.get());
    return pair;
  }

  // A transaction's own writes above those of the database.
  void AddBatch(Pair* pair) {
    pair->what += " batch";
    pair->batch = std::make_unique<rocksdb::WriteBatchWithIndex>(comparator_, 0, true);
    for (int i = 0; i < 8; ++i) {
      const std::string key = OneIn(2) ? OldKey() : NewKey();
      Expect(OneIn(2) ? pair->batch->Delete(key) : pair->batch->Put(key, "batch"));
    }
    for (auto& iterator : pair->iterators) {
      iterator.reset(pair->batch->NewIteratorWithBase(iterator.release()));
    }
  }

  // Whether the iterators have a key. It counts as an answer, as its absence does.
  bool Compare(const Pair& pair, const RangeScan::Range& range, const char* step) {
    std::string shown[2];
    bool is_within[2];
    for (const int i : {0, 1}) {
      rocksdb::Iterator* const iterator = pair.iterators[i].get();
      const std::string key = iterator->Valid() ? iterator->key().ToString() : "";
      // Nothing is said of what lies between several ranges.
      is_within[i] = iterator->Valid() && (pair.ranges.size() == 1 || IsWithin(key, range));
      shown[i] = is_within[i] ? iterator->key().ToString() + "=" + iterator->value().ToString()
                              : iterator->status().ToString();
    }
    ++num_compared_;
    if (shown[0] == shown[1]) return is_within[0];
    if (num_wrong_++ == 0) {
      ADD_FAILURE() << step << ", round " << round_ << ", " << pair.ranges.size() << " ranges, "
                    << pair.what << ", [" << testing::PrintToString(range.lower) << ", "
                    << testing::PrintToString(range.upper)
                    << "): " << testing::PrintToString(shown[0]) << "; without a filter "
                    << testing::PrintToString(shown[1]);
    }
    return false;
  }

  void Walk(const Pair& pair, int num_seeks) {
    for (int seek = 0; seek < num_seeks; ++seek) {
      const RangeScan::Range& range = pair.ranges[Draw(pair.ranges.size())];
      const bool is_alone = pair.ranges.size() == 1;
      std::string target = OneIn(3) ? AnyBound() : range.lower;
      if (!is_alone && !IsWithin(target, range)) target = range.lower;
      const uint64_t kind = pair.is_forward ? 3 : Draw(8);
      for (auto& iterator : pair.iterators) {
        if (kind == 0) {
          iterator->SeekForPrev(target);
        } else if (kind == 1 && is_alone) {
          iterator->SeekToFirst();
        } else if (kind == 2 && is_alone) {
          iterator->SeekToLast();
        } else {
          iterator->Seek(target);
        }
      }
      for (int step = 0; Compare(pair, range, step == 0 ? "Seek" : "Next or Prev") && step < 5;
           ++step) {
        const bool is_backward = !pair.is_forward && OneIn(kind < 3 ? 2 : 4);
        for (auto& iterator : pair.iterators) is_backward ? iterator->Prev() : iterator->Next();
      }
    }
  }

  void CompareIn(rocksdb::DB* db, const std::vector<Family*>& families, int num_pairs) {
    const rocksdb::Snapshot* const snapshot = OneIn(2) ? db->GetSnapshot() : nullptr;
    for (int i = 0; i < num_pairs; ++i) {
      Family* const family = families[OneIn(4) ? families.size() - 1 : 0];
      Walk(*NewPair(db, family, snapshot), 3);
    }
    if (snapshot != nullptr) db->ReleaseSnapshot(snapshot);
  }

  void CompareInSecondary() {
    // RocksDB 7.8 may crash if a secondary reads blobs, with table_filter and without.
    if (GetParam().change == &WithBlobs) return;
    std::unique_ptr<rocksdb::DB> db;
    rocksdb::Options options = DatabaseOptions();
    options.max_open_files = -1;  // secondaries need it
    const Status status = OpenRocksDBSecondary(options, path_, folder_.Path("secondary"), &db);
    if (status.IsNotSupported()) return;  // of entities in the log, in RocksDB 7.8
    Expect(status);
    for (int i = 0; db != nullptr && i < 2; ++i) {
      CompareIn(db.get(), {db->DefaultColumnFamily()}, 5);
      for (Family* const family : families_) Put(family, NewKey());
      Expect(db_->Flush({}, families_));
      Expect(db->TryCatchUpWithPrimary());
    }
  }

  void CompareInCheckpoint() {
    rocksdb::Checkpoint* made = nullptr;
    Expect(rocksdb::Checkpoint::Create(db_.get(), &made));
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    const std::string path = folder_.Path("checkpoint");
    Expect(checkpoint->CreateCheckpoint(path));
    std::unique_ptr<rocksdb::DB> db;
    const rocksdb::Options options = DatabaseOptions();
    Expect(OpenRocksDBReadOnly(options, path, &db));
    if (db != nullptr) CompareIn(db.get(), {db->DefaultColumnFamily()}, 5);
    db.reset();
    Expect(rocksdb::DestroyDB(path, options, {{"default", options}, {"other", options}}));
  }

  void RunRound() {
    path_ = folder_.Path(std::to_string(round_));
    keys_.clear();
    once_.clear();
    filter_.reset();
    // Around the limits of fields. Few filters know anything behind them.
    shape_ = RandomShape(&random_, {0, 0, 0, 0, 0, 7, 60, 125, 1021});
    if (round_ == 0) shape_.start.clear();
    allows_behind_ = OneIn(3) && GetParam().change != &WithFifo;
    Open();
    if (HasFailure()) return;
    for (int step = 0; step < 24 && num_wrong_ == 0; ++step) {
      for (int i = 0; i < 30; ++i) Write();
      Event();
      CompareIn(db_.get(), families_, rounds_ == nullptr ? 12 : 200);
      for (auto& pair : kept_) Walk(*pair, 3);
      num_skipped_ += filter_->counts().tables_skipped;
    }
    Close();
    Expect(rocksdb::DestroyDB(path_, rocksdb::Options(), {{"default", {}}, {"other", {}}}));
  }

  const rocksdb::Comparator* const comparator_ = GetParam().comparator();
  const TempDir folder_;
  const char* const rounds_ = std::getenv("BLOOMLINE_TEST_ROUNDS");
  std::mt19937_64 random_;
  int round_ = 0;
  uint64_t num_compared_ = 0;
  uint64_t num_wrong_ = 0;
  uint64_t num_skipped_ = 0;
  // What changes with each round:
  std::string path_;
  std::shared_ptr<RangeFilter> filter_;
  RangeKeyShape shape_;
  bool allows_behind_ = false;
  uint64_t time_ = 0;
  std::vector<std::string> keys_;
  std::set<std::string> once_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<Family*> families_;
  std::vector<std::unique_ptr<Pair>> kept_;  // over whatever happens but opening anew
};

TEST_P(RocksDBRangeScansTest, IteratorsShowWhatOthersShow) {
  if (comparator_ == nullptr) GTEST_SKIP() << "RocksDB has no such comparator";
  const std::string name = GetParam().name;
  std::seed_seq seed(name.begin(), name.end());
  random_.seed(seed);
  const int num_rounds = rounds_ == nullptr ? Repetitions(4, 2) : std::atoi(rounds_);
  for (; round_ < num_rounds && !HasFailure(); ++round_) RunRound();
  EXPECT_EQ(num_wrong_, 0U);
  if (rounds_ != nullptr) {
    std::printf("%s: %llu answers compared, %llu wrong; tables skipped: %llu\n", name.c_str(),
                static_cast<unsigned long long>(num_compared_),
                static_cast<unsigned long long>(num_wrong_),
                static_cast<unsigned long long>(num_skipped_));
  }
  if (GetParam().skips) {
    EXPECT_GT(num_skipped_, num_compared_ / 50) << "of " << num_compared_;
  } else {
    EXPECT_EQ(num_skipped_, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, RocksDBRangeScansTest, testing::ValuesIn(kSettings),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bloomline::tests::rocksdb_range_scans_test
