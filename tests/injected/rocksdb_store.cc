#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/injected/store.h"
#include "tests/injected/store_filters.h"

namespace bloomline::tests {
namespace {

class ObservedBuilder : public rocksdb::FilterBitsBuilder {
 public:
  using Slice = rocksdb::Slice;
  using Status = rocksdb::Status;

  ObservedBuilder(rocksdb::FilterBitsBuilder* builder, FilterObserver* observer)
      : builder_(builder), observer_(observer) {}

  void AddKey(const Slice& key) override {
    const Observed observed(observer_, true);
    MustNotThrow([&] { builder_->AddKey(key); });
  }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    const Observed observed(observer_, true);
    MustNotThrow([&] { builder_->AddKeyAndAlt(key, alt); });
  }
#endif
  size_t EstimateEntriesAdded() override { return builder_->EstimateEntriesAdded(); }
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    const Observed observed(observer_, true);
    return MustNotThrow([&] { return builder_->Finish(buf); });
  }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    const Observed observed(observer_, true);
    return MustNotThrow([&] { return builder_->Finish(buf, status); });
  }
  Status MaybePostVerify(const Slice& filter) override {
    const Observed observed(observer_, true);
    return MustNotThrow([&] { return builder_->MaybePostVerify(filter); });
  }
  size_t ApproximateNumEntries(size_t bytes) override {
    return builder_->ApproximateNumEntries(bytes);
  }
  size_t CalculateSpace(size_t num_entries) override {
    return builder_->CalculateSpace(num_entries);
  }
  double EstimatedFpRate(size_t num_entries, size_t bytes) override {
    return builder_->EstimatedFpRate(num_entries, bytes);
  }

 private:
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder_;
  FilterObserver* const observer_;
};

class ObservedPolicy : public rocksdb::FilterPolicy {
 public:
  ObservedPolicy(std::shared_ptr<const rocksdb::FilterPolicy> policy, FilterObserver* observer)
      : policy_(std::move(policy)), observer_(observer) {}
  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override { return policy_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    rocksdb::FilterBitsBuilder* builder;
    {
      const Observed observed(observer_, true);
      builder = MustNotThrow([&] { return policy_->GetBuilderWithContext(context); });
    }
    return builder == nullptr ? nullptr : new ObservedBuilder(builder, observer_);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    const Observed observed(observer_, false);
    return MustNotThrow([&] { return policy_->GetFilterBitsReader(contents); });
  }

 private:
  const std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  FilterObserver* const observer_;
};

class ActivityListener : public rocksdb::EventListener {
 public:
  explicit ActivityListener(Activity* activity) : activity_(activity) {}
  void OnFlushBegin(rocksdb::DB*, const rocksdb::FlushJobInfo&) override { ++activity_->flushing; }
  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo&) override {
    --activity_->flushing;
    ++activity_->flushes;
  }
  void OnCompactionBegin(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override {
    ++activity_->compacting;
  }
  void OnCompactionCompleted(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override {
    --activity_->compacting;
    ++activity_->compactions;
  }

 private:
  Activity* const activity_;
};

std::shared_ptr<const rocksdb::FilterPolicy> NewPolicy(FilterKind filter) {
  if (filter == FilterKind::kStock) {
    return std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10));
  }
  return NewRocksDBFilterPolicy(OptionsOf(filter));
}

class RocksDBStore : public Store {
 public:
  explicit RocksDBStore(const StoreOptions& options) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy =
        std::make_shared<ObservedPolicy>(NewPolicy(options.filter), options.observer);
    table.detect_filter_construct_corruption = options.verify_filters;
    table.block_size = 1024;
    table.block_cache = rocksdb::NewLRUCache(1 << 20);
    if (options.engine == Engine::kRocksDBPartitioned) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 512;
      table.cache_index_and_filter_blocks = true;
    }
    options_.create_if_missing = true;
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options_.statistics = rocksdb::CreateDBStatistics();
    options_.compression = rocksdb::kNoCompression;
    if (options.small_buffers) {
      options_.write_buffer_size = 64 << 10;
      options_.target_file_size_base = 64 << 10;
      options_.level0_file_num_compaction_trigger = 2;
      options_.max_bytes_for_level_base = 256 << 10;
      options_.max_background_jobs = 2;
    } else {
      options_.disable_auto_compactions = true;
    }
    options_.stats_dump_period_sec = 0;
    options_.stats_persist_period_sec = 0;
    options_.max_bgerror_resume_count = 0;
    options_.paranoid_checks = options.checksums;
    read_.verify_checksums = options.checksums;
    if (options.activity != nullptr) {
      options_.listeners.push_back(std::make_shared<ActivityListener>(options.activity));
    }
    if (options.rocksdb_env != nullptr) options_.env = options.rocksdb_env;
  }

  bool Open(const std::string& path, std::string* error) {
    const rocksdb::Status status = tests::OpenRocksDB(options_, path, &db_);
    return IsOk(status, error);
  }

  bool Write(const KeysAndValues& pairs, Durability durability, std::string* error) override {
    rocksdb::WriteBatch batch;
    for (const auto& [key, value] : pairs) {
      if (!IsOk(batch.Put(key, value), error)) return false;
    }
    rocksdb::WriteOptions write;
    write.sync = durability == Durability::kSync;
    write.disableWAL = durability == Durability::kNone;
    return IsOk(db_->Write(write, &batch), error);
  }

  bool Flush(std::string* error) override { return IsOk(db_->Flush({}), error); }

  bool Compact(std::string* error) override {
    rocksdb::CompactRangeOptions compact;
    compact.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    return IsOk(db_->CompactRange(compact, nullptr, nullptr), error);
  }

  Answer Get(const std::string& key, std::string* value) override {
    return AnswerOf(db_->Get(read_, key, value));
  }

  std::vector<Answer> GetMany(const std::vector<std::string>& keys) override {
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    db_->MultiGet(read_, db_->DefaultColumnFamily(), keys.size(), slices.data(), values.data(),
                  statuses.data());
    std::vector<Answer> answers;
    for (const rocksdb::Status& status : statuses) answers.push_back(AnswerOf(status));
    return answers;
  }

  FilterCounts filter_counts() const override {
    return {options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE),
            options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL)};
  }

 private:
  static Answer AnswerOf(const rocksdb::Status& status) {
    return status.ok() ? Answer::kFound : status.IsNotFound() ? Answer::kNotFound : Answer::kError;
  }
  static bool IsOk(const rocksdb::Status& status, std::string* error) {
    if (!status.ok()) *error = status.ToString();
    return status.ok();
  }

  rocksdb::Options options_;
  rocksdb::ReadOptions read_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

std::unique_ptr<Store> OpenRocksDB(const StoreOptions& options, const std::string& path,
                                   std::string* error) {
  auto store = std::make_unique<RocksDBStore>(options);
  if (!store->Open(path, error)) return nullptr;
  return store;
}

}  // namespace bloomline::tests
