// Databases of small files with column families, and with an account of their filters if one is
// given.
#ifndef BLOOMLINE_TESTS_ENGINES_ACCOUNTED_DATABASE_H_
#define BLOOMLINE_TESTS_ENGINES_ACCOUNTED_DATABASE_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <chrono>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/budget/file_account.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tests {

using Handle = rocksdb::ColumnFamilyHandle;

inline std::string Key(uint64_t i) {
  const uint64_t number = i * 0x9e3779b97f4a7c15;
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

inline RocksDBFilterOptions Limited(uint64_t memory_bytes) {
  RocksDBFilterOptions filter;
  filter.memory_bytes = memory_bytes;
  return filter;
}

// A database with column families, of small files.
class AccountedDatabase {
 public:
  AccountedDatabase(const std::string& path, std::shared_ptr<FilterAccount> account,
                    const RocksDBFilterOptions& filter = {}, bool is_partitioned = false)
      : path_(path) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = NewRocksDBFilterPolicy(filter);
    if (is_partitioned) PartitionFilters(512, &table);
    options_ = WithTable(table);
    options_.compression = rocksdb::kNoCompression;
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 16 << 10;
    options_.max_bytes_for_level_base = 64 << 10;
    options_.level_compaction_dynamic_level_bytes = true;
    if (account != nullptr) options_.listeners = {std::move(account)};
  }
  ~AccountedDatabase() { Close(); }

  rocksdb::Options& options() { return options_; }
  rocksdb::DB* db() { return db_.get(); }
  const std::vector<Handle*>& handles() const { return handles_; }

  rocksdb::Status Open() {
    std::vector<std::string> names;
    if (!rocksdb::DB::ListColumnFamilies(options_, path_, &names).ok()) names = {"default"};
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options_);
    return OpenRocksDB(options_, path_, families, &handles_, &db_);
  }
  void Close() {
    if (db_ == nullptr) return;
    for (Handle* const handle : handles_) db_->DestroyColumnFamilyHandle(handle);
    handles_.clear();
    db_.reset();
  }
  void Create(const std::string& name) { Create(name, options_); }
  void Create(const std::string& name, const rocksdb::ColumnFamilyOptions& options) {
    Handle* handle = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamily(options, name, &handle).ok());
    handles_.push_back(handle);
  }
  void Import(const std::string& name, const rocksdb::ExportImportFilesMetaData& files) {
    Handle* handle = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamilyWithImport(options_, name, {}, files, &handle).ok());
    handles_.push_back(handle);
  }
  void Drop(size_t index) {
    ASSERT_TRUE(db_->DropColumnFamily(handles_[index]).ok());
    db_->DestroyColumnFamilyHandle(handles_[index]);
    handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void Put(Handle* handle, uint64_t first, uint64_t n) {
    for (uint64_t i = first; i < first + n; ++i) {
      ASSERT_TRUE(db_->Put({}, handle, Key(i), "a value of some length").ok());
    }
  }
  void Flush() {
    for (Handle* const handle : handles_) ASSERT_TRUE(db_->Flush({}, handle).ok());
  }
  void Fill(uint64_t first, uint64_t n) {
    for (Handle* const handle : handles_) Put(handle, first, n);
    Flush();
    Wait();
  }
  // Until nothing runs, and nothing waits to. RocksDB 11.9 may say forever that a compaction is
  // pending, and universal compaction often does.
  void Wait() {
    const int most_pending =
        options_.compaction_style == rocksdb::kCompactionStyleUniversal ? 20 : 1000;
    for (int idle = 0, pending = 0; idle < 3 && pending < most_pending;) {
      const bool is_running =
          Sum("rocksdb.num-running-compactions") != 0 || Sum("rocksdb.num-running-flushes") != 0;
      const bool is_pending = Sum("rocksdb.compaction-pending") != 0;
      idle = is_running || is_pending ? 0 : idle + 1;
      pending = is_running || !is_pending ? 0 : pending + 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void Compact() {
    for (Handle* const handle : handles_) ASSERT_TRUE(CompactAll(db_.get(), handle).ok());
  }
  // Looks up the first n keys.
  void ExpectNoKeyLost(uint64_t n) {
    std::string value;
    for (uint64_t i = 0; i < n; ++i) {
      ASSERT_TRUE(db_->Get({}, Key(i), &value).ok()) << "lost key " << i;
    }
  }

  // What the properties of all tables say.
  uint64_t filter_bytes() {
    uint64_t bytes = 0;
    for (Handle* const handle : handles_) {
      rocksdb::TablePropertiesCollection tables;
      EXPECT_TRUE(db_->GetPropertiesOfAllTables(handle, &tables).ok());
      for (const auto& [name, properties] : tables) bytes += properties->filter_size;
    }
    return bytes;
  }

 private:
  // The sum of a property over the column families.
  uint64_t Sum(const char* property) {
    uint64_t sum = 0;
    for (Handle* const handle : handles_) {
      uint64_t value = 0;
      EXPECT_TRUE(db_->GetIntProperty(handle, property, &value)) << property;
      sum += value;
    }
    return sum;
  }

  const std::string path_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<Handle*> handles_;
};

// RocksDB reports the last flush and deletions a little later. Compactions may run.
inline void ExpectExact(const FilterAccount& account,
                        const std::vector<AccountedDatabase*>& databases,
                        const std::string& after) {
  uint64_t counted = 0, bytes = 0;
  ASSERT_TRUE(Within30Seconds([&] {
    bytes = 0;
    for (AccountedDatabase* const database : databases) bytes += database->filter_bytes();
    counted = account.filter_bytes();
    return counted == bytes;
  })) << after
      << ": " << counted << " bytes are counted, of " << bytes;
}

// The account that policies find.
inline std::shared_ptr<engine::FileAccount> FilesIn(FilterAccount* account) {
  account->OnTableFileCreationStarted(rocksdb::TableFileCreationBriefInfo());
  return engine::EndFileCreation().account.lock();
}

// The levels with files that have filters, a line for each, as the account has them. What is
// assumed counts with no memory.
inline std::string LevelsIn(const engine::FileAccount& files, AccountedDatabase* database) {
  std::ostringstream text;
  for (Handle* const handle : database->handles()) {
    engine::FileCreation creation;
    creation.database = database->db()->GetName();
    creation.family = handle->GetName();
    filter::TreeFill tree;
    filter::NewFilter file;
    if (!files.Describe(creation, 0, 0, true, &tree, &file)) continue;
    for (size_t level = 0; level < tree.levels.size(); ++level) {
      const auto keys = static_cast<uint64_t>(tree.levels[level].keys);
      const auto bytes = static_cast<uint64_t>(tree.levels[level].memory_bits) / 8;
      if (keys == 0) continue;
      text << handle->GetName() << " level " << level << ": " << keys << " keys, " << bytes
           << " bytes";
      if (level == 0) text << ", " << tree.top_keys.size() << " files";
      text << "\n";
    }
  }
  return text.str();
}

// The same as RocksDB has them.
inline std::string LevelsIn(AccountedDatabase* database) {
  struct Sums {
    uint64_t files = 0, keys = 0, bytes = 0;
  };
  std::ostringstream text;
  std::vector<rocksdb::LiveFileMetaData> files;
  database->db()->GetLiveFilesMetaData(&files);
  for (Handle* const handle : database->handles()) {
    rocksdb::TablePropertiesCollection tables;
    EXPECT_TRUE(database->db()->GetPropertiesOfAllTables(handle, &tables).ok());
    std::map<int, Sums> levels;
    for (const auto& file : files) {
      const auto table = tables.find(file.db_path + file.name);
      if (table == tables.end() || table->second->filter_size == 0) continue;
      Sums& sums = levels[file.level];
      ++sums.files;
      sums.keys += table->second->num_filter_entries;
      sums.bytes += table->second->filter_size;
    }
    for (const auto& [level, sums] : levels) {
      text << handle->GetName() << " level " << level << ": " << sums.keys << " keys, "
           << sums.bytes << " bytes";
      if (level == 0) text << ", " << sums.files << " files";
      text << "\n";
    }
  }
  return text.str();
}

inline void ExpectLevels(FilterAccount* account, AccountedDatabase* database,
                         const std::string& after) {
  const auto files = FilesIn(account);
  std::string counted, listed;
  ASSERT_TRUE(Within30Seconds([&] {
    listed = LevelsIn(database);
    counted = LevelsIn(*files, database);
    return counted == listed;
  })) << after
      << ", counted:\n"
      << counted << "in the database:\n"
      << listed;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_ACCOUNTED_DATABASE_H_
