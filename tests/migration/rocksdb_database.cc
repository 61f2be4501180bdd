#include "tests/migration/rocksdb_database.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>

#include "tests/engines/rocksdb_open.h"
#include "tests/migration/rocksdb_policy.h"

namespace bloomline::tests {
namespace {

// Of LevelDB's and of RocksDB's tables: about ten in each database, of any size.
uint64_t TableBytes(uint64_t num_keys) { return std::max<uint64_t>(64 << 10, num_keys * 5); }

// As tests/engines/rocksdb_open.h.
template <typename Base>
auto OpenReadOnly(const rocksdb::Options& options, const std::string& path,
                  std::unique_ptr<Base>* db, int)
    -> decltype(Base::OpenForReadOnly(options, path, db)) {
  return Base::OpenForReadOnly(options, path, db);
}
template <typename Base>
rocksdb::Status OpenReadOnly(const rocksdb::Options& options, const std::string& path,
                             std::unique_ptr<Base>* db, long) {
  Base* opened = nullptr;
  const rocksdb::Status status = Base::OpenForReadOnly(options, path, &opened);
  db->reset(opened);
  return status;
}

bool IsOk(const rocksdb::Status& status, std::string* error) {
  if (!status.ok()) *error = status.ToString();
  return status.ok();
}

Answer AnswerOf(const rocksdb::Status& status) {
  return status.ok() ? Answer::kFound : status.IsNotFound() ? Answer::kNotFound : Answer::kError;
}

class RocksDBDatabase : public Database {
 public:
  explicit RocksDBDatabase(const DatabaseOptions& options)
      : prefix_(options.mode.prefix),
        read_only_(options.read_only),
        counts_(std::make_shared<FilterCounts>()) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy =
        NewCountingPolicy(NewPlainRocksDBPolicy(options.filter), counts_, options.denial);
    table.whole_key_filtering = options.mode.whole_keys;
    // All versions read 5. Below it, RocksDB's Bloom filter is the legacy one.
    table.format_version = options.filter == Filter::kLegacy ? 4 : 5;
    table.block_cache = rocksdb::NewLRUCache(32 << 20);
    if (options.mode.partitioned) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 1024;
      table.cache_index_and_filter_blocks = true;
    }
    options_.create_if_missing = options.create;
    // Otherwise it reads with CompactedDBImpl, which counts nothing.
    if (read_only_) options_.max_open_files = 1000;
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options_.statistics = rocksdb::CreateDBStatistics();
    options_.compression = rocksdb::kNoCompression;
    options_.write_buffer_size = TableBytes(options.num_keys);
    options_.target_file_size_base = TableBytes(options.num_keys);
    options_.max_bytes_for_level_base = 2 * TableBytes(options.num_keys);
    options_.disable_auto_compactions = true;
    options_.stats_dump_period_sec = 0;
    options_.stats_persist_period_sec = 0;
    options_.max_bgerror_resume_count = 0;
    if (prefix_) options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefixBytes));
    if (options.faults != nullptr) {
      env_ = NewFaultyRocksDBEnv(options.faults);
      options_.env = env_.get();
    }
  }

  // With these options alone.
  RocksDBDatabase(const rocksdb::Options& options, const Mode& mode)
      : prefix_(mode.prefix), counts_(std::make_shared<FilterCounts>()), options_(options) {
    options_.statistics = rocksdb::CreateDBStatistics();
  }

  bool Open(const std::string& path, std::string* error) {
    return IsOk(read_only_ ? OpenReadOnly(options_, path, &db_, 0)
                           : tests::OpenRocksDB(options_, path, &db_),
                error);
  }

  bool Write(const std::vector<Change>& changes, std::string* error) override {
    rocksdb::WriteBatch batch;
    for (const Change& change : changes) {
      if (!IsOk(change.deletes ? batch.Delete(change.key) : batch.Put(change.key, change.value),
                error)) {
        return false;
      }
    }
    return IsOk(db_->Write({}, &batch), error);
  }

  bool Flush(std::string* error) override { return IsOk(db_->Flush({}), error); }

  bool Rewrite(std::string* error) override {
    rocksdb::CompactRangeOptions compact;
    compact.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    return IsOk(db_->CompactRange(compact, nullptr, nullptr), error);
  }
  bool Compact(std::string* error) override {
    return IsOk(db_->CompactRange({}, nullptr, nullptr), error);
  }

  Answer Get(const std::string& key, std::string* value) override {
    return AnswerOf(db_->Get({}, key, value));
  }

  void GetMany(const std::vector<std::string>& keys, std::vector<Answer>* answers,
               std::vector<std::string>* values) override {
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> pinned(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    db_->MultiGet({}, db_->DefaultColumnFamily(), keys.size(), slices.data(), pinned.data(),
                  statuses.data());
    answers->clear();
    values->clear();
    for (size_t i = 0; i < keys.size(); ++i) {
      answers->push_back(AnswerOf(statuses[i]));
      values->push_back(pinned[i].ToString());
    }
  }

  std::string Seek(const std::string& key) override {
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = prefix_;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read));
    iterator->Seek(key);
    return iterator->Valid() ? iterator->key().ToString() : "";
  }

  const FilterCounts& counts() const override { return *counts_; }
  uint64_t data_blocks_read() const override {
    return options_.statistics->getTickerCount(rocksdb::BLOCK_CACHE_DATA_HIT) +
           options_.statistics->getTickerCount(rocksdb::BLOCK_CACHE_DATA_MISS);
  }

  std::map<std::string, int> Tables() override {
    rocksdb::TablePropertiesCollection tables;
    std::map<std::string, int> names;
    if (!db_->GetPropertiesOfAllTables(&tables).ok()) return {{"unreadable", 1}};
    for (const auto& [file, properties] : tables) {
      if (properties == nullptr) {  // as in LevelDB's tables
        ++names["without properties"];
        continue;
      }
      const std::string& name = properties->filter_policy_name;
      ++names[name.empty() || properties->filter_size == 0 ? "none" : name];
    }
    return names;
  }

 private:
  const bool prefix_;
  const bool read_only_ = false;
  const std::shared_ptr<FilterCounts> counts_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;  // destroyed first
};

}  // namespace

std::unique_ptr<Database> OpenRocksDB(const DatabaseOptions& options, const std::string& path,
                                      std::string* error) {
  auto database = std::make_unique<RocksDBDatabase>(options);
  if (!database->Open(path, error)) return nullptr;
  return database;
}

std::unique_ptr<Database> OpenRocksDBWith(const rocksdb::Options& options, const Mode& mode,
                                          const std::string& path, std::string* error) {
  auto database = std::make_unique<RocksDBDatabase>(options, mode);
  if (!database->Open(path, error)) return nullptr;
  return database;
}

}  // namespace bloomline::tests
