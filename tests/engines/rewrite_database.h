// A database of small files with RocksDB's own filters, to be given bloomline's.
#ifndef BLOOMLINE_TESTS_ENGINES_REWRITE_DATABASE_H_
#define BLOOMLINE_TESTS_ENGINES_REWRITE_DATABASE_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"

namespace bloomline::tests {

inline std::string RewriteKey(uint64_t i) {
  char text[24];
  std::snprintf(text, sizeof(text), "key%08llu", static_cast<unsigned long long>(i));
  return text;
}

inline Policy BlockedPolicy() { return NewRocksDBFilterPolicy(FilterOptions()); }

inline void ExpectOk(const rocksdb::Status& status) {
  EXPECT_TRUE(status.ok()) << status.ToString();
}

class RewriteDatabase {
 public:
  // Level, first and last key, folder and temperature of each file.
  using Shape =
      std::vector<std::tuple<int, std::string, std::string, std::string, rocksdb::Temperature>>;
  using Model = std::map<std::string, std::string>;

  RewriteDatabase(rocksdb::Options options, std::string path)
      : options_(std::move(options)), path_(std::move(path)) {}

  static rocksdb::Options SmallFiles() {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 32 << 10;
    options.target_file_size_base = 16 << 10;
    options.max_bytes_for_level_base = 64 << 10;
    options.max_bytes_for_level_multiplier = 4;
    options.level_compaction_dynamic_level_bytes = false;
    options.compression = rocksdb::kNoCompression;
    return options;
  }

  void Open(Policy policy) {
    rocksdb::BlockBasedTableOptions table =
        *options_.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    table.filter_policy = std::move(policy);
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    Close();
    const rocksdb::Status status = OpenRocksDB(options_, path_, &db_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void OpenWithStockFilters() { Open(Policy(rocksdb::NewBloomFilterPolicy(10))); }
  void Close() { db_.reset(); }

  // Puts n keys, not in their order.
  Model Write(uint64_t n) {
    Model model;
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (uint64_t i = 0; i < n; ++i) {
      const std::string key = RewriteKey(i * 7919 % n);
      model[key] = std::to_string(i) + std::string(60, 'v');
      ExpectOk(db_->Put(write, key, model[key]));
    }
    return model;
  }

  // Flushes, and waits until RocksDB has nothing to flush or compact.
  void FlushAndWait() {
    ExpectOk(db_->Flush({}));
    const auto sum = [&] {
      uint64_t sum = 0;
      // Not rocksdb.compaction-pending: it stays 1 for files that a snapshot keeps as they are.
      for (const char* name : {"rocksdb.mem-table-flush-pending", "rocksdb.num-running-compactions",
                               "rocksdb.num-running-flushes"}) {
        uint64_t value = 0;
        db_->GetIntProperty(name, &value);
        sum += value;
      }
      return sum;
    };
    for (int quiet = 0; quiet < 10; quiet = sum() == 0 ? quiet + 1 : 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  Shape GetShape(rocksdb::ColumnFamilyHandle* family = nullptr) {
    rocksdb::ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(family == nullptr ? db_->DefaultColumnFamily() : family,
                                 &metadata);
    Shape shape;
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) {
        shape.emplace_back(level.level, file.smallestkey, file.largestkey, file.db_path,
                           file.temperature);
      }
    }
    std::sort(shape.begin(), shape.end());
    return shape;
  }

  // Keys by Get and by a scan, and that others are not found.
  void ExpectKeys(const Model& model, const rocksdb::ReadOptions& read = {}) {
    std::string value;
    uint64_t wrong = 0;
    for (const auto& [key, expected] : model) {
      if (!db_->Get(read, key, &value).ok() || value != expected) ++wrong;
      if (!db_->Get(read, key + "x", &value).IsNotFound()) ++wrong;
    }
    EXPECT_EQ(wrong, 0u) << "of " << model.size();
    const std::unique_ptr<rocksdb::Iterator> scan(db_->NewIterator(read));
    auto expected = model.begin();
    for (scan->SeekToFirst(); scan->Valid() && expected != model.end(); scan->Next(), ++expected) {
      ASSERT_EQ(scan->key().ToString(), expected->first);
      ASSERT_EQ(scan->value().ToString(), expected->second);
    }
    EXPECT_TRUE(scan->status().ok()) << scan->status().ToString();
    EXPECT_TRUE(!scan->Valid() && expected == model.end());
  }

  RewriteReport Rewrite(const RewriteOptions& options = {},
                        rocksdb::ColumnFamilyHandle* family = nullptr) {
    RewriteReport report;
    std::string error;
    EXPECT_TRUE(RewriteFilters(db_.get(), family == nullptr ? db_->DefaultColumnFamily() : family,
                               options, &report, &error))
        << error;
    return report;
  }

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::DB* get() const { return db_.get(); }
  rocksdb::Options& options() { return options_; }

 private:
  rocksdb::Options options_;
  const std::string path_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_REWRITE_DATABASE_H_
