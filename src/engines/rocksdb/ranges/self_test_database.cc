#include "src/engines/rocksdb/ranges/self_test_database.h"

#include <algorithm>
#include <cstdarg>
#include <iterator>
#include <new>
#include <utility>

#include "bloomline/filter_options.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/bits_reader.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/engines/rocksdb/policy.h"
#include "src/engines/rocksdb/ranges/range_builder.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Each family has keys in two files of the last level, unless it has timestamps, whose files
// RocksDB 7 does not ingest; and newer ones in a file of level 0.
//
// The first file of the last level ends in a deleted range without keys. So a Seek there finds
// nothing in that file, and then has to find the keys of the second one.
constexpr std::string_view kFirstFile[] = {"kaa", "kac"};
constexpr std::string_view kFirstFileDeleted[] = {"kca", "kd"};
constexpr std::string_view kSecondFile[] = {"kea", "kec"};
constexpr std::string_view kLevel0[] = {"kab", "kcb", "keb"};
// In the first file, and in the range that level 0 deletes: where level 0 has no keys, its filter
// rejects that range.
constexpr std::string_view kDeletedKey = "kbd";

class RecordingReader final : public FilterBitsReader {
 public:
  RecordingReader(std::unique_ptr<FilterBitsReader> reader, Queries* queries)
      : reader_(std::move(reader)), queries_(queries) {}
  bool MayMatch(const Slice& entry) override {
    if (entry.empty()) Record(entry);
    return reader_->MayMatch(entry);
  }
  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    for (int i = 0; i < num_keys; ++i) may_match[i] = MayMatch(*keys[i]);
  }

 private:
  void Record(const Slice& entry) {
    constexpr size_t kMaxText = 15;
    if (queries_->count == Queries::kMax) return;
    Query& query = queries_->kept[queries_->count++];
    std::string_view begin, end;
    query.has_range = LastRange(entry, &begin, &end);
    if (!query.has_range) return;
    query.begin.assign(begin.substr(0, kMaxText));
    query.end.assign(end.substr(0, kMaxText));
  }

  const std::unique_ptr<FilterBitsReader> reader_;
  Queries* const queries_;
};

class SmallBuilder final : public RangeBitsBuilder {
 public:
  using RangeBitsBuilder::RangeBitsBuilder;
  // RocksDB ends a partition with so many keys.
  size_t ApproximateNumEntries(size_t) override { return 1; }
};

// Like a policy with range_prefixes=1:2:3:4, but the program's metrics count nothing of it.
class RecordingPolicy final : public FilterPolicy {
 public:
  RecordingPolicy(Queries* queries, filter::FilterCounts* counts)
      : queries_(queries), counts_(counts) {
    for (int bytes = 1; bytes <= 4; ++bytes) {
      entries_.kinds.cells[entries_.kinds.num_cells++].bits = static_cast<uint16_t>(8 * bytes);
    }
  }
  const char* Name() const override { return "bloomline.self_test"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }
  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    auto* const builder =
        new (std::nothrow) SmallBuilder(FilterOptions(), false, context.info_log, entries_);
    if (builder != nullptr) builder->UseTableOptions(context.table_options, nullptr);
    return builder;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    std::unique_ptr<FilterBitsReader> reader(
        NewRocksDBBitsReader(contents.ToStringView(), counts_));
    if (reader == nullptr) return nullptr;
    return new (std::nothrow) RecordingReader(std::move(reader), queries_);
  }

 private:
  filter::RangeEntryOptions entries_;
  Queries* const queries_;
  filter::FilterCounts* const counts_;
};

class NoLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// Leaves the threads of the program's Env alone.
class MemoryEnv final : public ROCKSDB_NAMESPACE::EnvWrapper {
 public:
  explicit MemoryEnv(std::unique_ptr<Env> env) : EnvWrapper(env.get()), env_(std::move(env)) {}
  const char* Name() const override { return "bloomline.self_test"; }
  void SetBackgroundThreads(int, Priority) override {}
  void IncBackgroundThreadsIfNeeded(int, Priority) override {}

 private:
  const std::unique_ptr<Env> env_;
};

// DB::Open takes a plain pointer until version 10, a unique_ptr from 11 on.
template <typename Open>
auto OpenAny(Open open, std::unique_ptr<DB>* db, int) -> decltype(open(db)) {
  return open(db);
}
template <typename Open>
Status OpenAny(Open open, std::unique_ptr<DB>* db, long) {
  DB* opened = nullptr;
  const Status status = open(&opened);
  db->reset(opened);
  return status;
}

}  // namespace

std::string SelfTestFamily::Keys(std::string_view begin, std::string_view end,
                                 bool backward) const {
  std::vector<std::string_view> keys(std::begin(kLevel0), std::end(kLevel0));
  if (!has_timestamps) {
    keys.insert(keys.end(), std::begin(kFirstFile), std::end(kFirstFile));
    keys.insert(keys.end(), std::begin(kSecondFile), std::end(kSecondFile));
  }
  std::sort(keys.begin(), keys.end());
  if (backward) std::reverse(keys.begin(), keys.end());
  std::string all;
  for (const std::string_view key : keys) {
    if (key >= begin && (end.empty() || key < end)) all.append(key).append(" ");
  }
  return all;
}

Status SelfTestDatabase::Make() {
  const std::string mismatch = RocksDBVersionMismatch();
  if (!mismatch.empty()) return Status::Aborted(mismatch);
  env_ = std::make_unique<MemoryEnv>(
      std::unique_ptr<Env>(ROCKSDB_NAMESPACE::NewMemEnv(Env::Default())));
  Status status;
  for (const char* name : {"default", "partitions", "timestamps"}) {
    if (status.ok()) status = AddFamily(name);
  }
  if (status.ok()) status = Open();
  for (const SelfTestFamily& family : families_) {
    if (status.ok()) status = WriteFamily(family);
  }
  // A flush would need a thread. To open the database again writes level 0 in this one.
  Close();
  return status.ok() ? Open() : status;
}

Status SelfTestDatabase::AddFamily(const char* name) {
  SelfTestFamily family;
  family.name = name;
  family.has_timestamps = family.name == "timestamps";
  if (family.has_timestamps && !Comparator::CreateFromString({}, "leveldb.BytewiseComparator.u64ts",
                                                             &family.options.comparator)
                                    .ok()) {
    return Status::OK();  // then no database has the extractor and timestamps
  }
  BlockBasedTableOptions table;
  table.filter_policy = std::make_shared<RecordingPolicy>(&queries_, &counts_);
  if (family.name == "partitions") {
    table.partition_filters = true;
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    // With SmallBuilder, files have partitions of one or two keys, so scans lose keys if RocksDB
    // queries the wrong one. Without decouple_partitioned_filters, RocksDB ends a partition only
    // where one of the index ends: the sizes are for those.
    table.block_size = 1;
    table.metadata_block_size = 1;
  }
  family.options.table_factory.reset(NewBlockBasedTableFactory(table));
  family.options.prefix_extractor = MakeRangeExtractor();
  family.options.disable_auto_compactions = true;
  families_.push_back(std::move(family));
  return Status::OK();
}

Status SelfTestDatabase::WriteFamily(const SelfTestFamily& family) {
  const Status status = family.has_timestamps ? Status::OK() : WriteLastLevel(family);
  return status.ok() ? WriteLevel0(family) : status;
}

Status SelfTestDatabase::WriteLastLevel(const SelfTestFamily& family) {
  const std::vector<std::string> paths = {"/bloomline/" + family.name + "1.sst",
                                          "/bloomline/" + family.name + "2.sst"};
  ROCKSDB_NAMESPACE::Options options({}, family.options);
  options.env = env_.get();
  ROCKSDB_NAMESPACE::SstFileWriter writer({}, options);
  Status status = writer.Open(paths[0]);
  const auto put = [&](std::string_view key) {
    if (status.ok()) status = writer.Put(Slice(key), "");
  };
  for (const std::string_view key : kFirstFile) put(key);
  put(kDeletedKey);
  if (status.ok()) {
    status = writer.DeleteRange(Slice(kFirstFileDeleted[0]), Slice(kFirstFileDeleted[1]));
  }
  if (status.ok()) status = writer.Finish();
  if (status.ok()) status = writer.Open(paths[1]);
  for (const std::string_view key : kSecondFile) put(key);
  if (status.ok()) status = writer.Finish();
  return status.ok() ? db_->IngestExternalFile(family.handle, paths, {}) : status;
}

Status SelfTestDatabase::WriteLevel0(const SelfTestFamily& family) {
  Status status;
  for (const std::string_view key : kLevel0) {
    if (!status.ok()) return status;
    status = family.has_timestamps ? db_->Put({}, family.handle, Slice(key), Slice(kTimestamp), "")
                                   : db_->Put({}, family.handle, Slice(key), "");
  }
  if (!status.ok() || family.has_timestamps) return status;
  return db_->DeleteRange({}, family.handle, Slice(kDeletedBegin), Slice(kDeletedEnd));
}

Status SelfTestDatabase::Open() {
  DBOptions options;
  options.env = env_.get();
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.avoid_flush_during_shutdown = true;
  options.info_log = std::make_shared<NoLogger>();
  options.max_background_jobs = 1;
  options.max_file_opening_threads = 1;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (const SelfTestFamily& family : families_)
    descriptors.emplace_back(family.name, family.options);
  std::vector<ColumnFamilyHandle*> handles;
  const auto open = [&](auto* db) -> decltype(DB::Open(options, "", descriptors, &handles, db)) {
    return DB::Open(options, "/bloomline/db", descriptors, &handles, db);
  };
  const Status status = OpenAny(open, &db_, 0);  // an int prefers the first
  for (size_t i = 0; i < handles.size(); ++i) families_[i].handle = handles[i];
  return status;
}

void SelfTestDatabase::Close() {
  for (SelfTestFamily& family : families_) {
    if (family.handle == nullptr) continue;
    db_->DestroyColumnFamilyHandle(family.handle).PermitUncheckedError();
    family.handle = nullptr;
  }
  db_.reset();
}

}  // namespace bloomline
