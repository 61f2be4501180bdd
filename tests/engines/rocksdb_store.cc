#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/store.h"

namespace bloomline::tests {
namespace {

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
    table.filter_policy = NewPolicy(options.filter);
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
    options_.disable_auto_compactions = true;
    options_.stats_dump_period_sec = 0;
    options_.stats_persist_period_sec = 0;
  }

  bool Open(const std::string& path, std::string* error) {
    const rocksdb::Status status = tests::OpenRocksDB(options_, path, &db_);
    return IsOk(status, error);
  }

  bool Write(const KeysAndValues& pairs, std::string* error) override {
    rocksdb::WriteBatch batch;
    for (const auto& [key, value] : pairs) {
      if (!IsOk(batch.Put(key, value), error)) return false;
    }
    return IsOk(db_->Write({}, &batch), error);
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

  uint64_t num_excluded() const override {
    return options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
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
  const rocksdb::ReadOptions read_;
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
