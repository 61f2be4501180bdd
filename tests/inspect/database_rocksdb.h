// A RocksDB database of many shapes, and what RocksDB says of its tables.
#ifndef BLOOMLINE_TESTS_INSPECT_DATABASE_ROCKSDB_H_
#define BLOOMLINE_TESTS_INSPECT_DATABASE_ROCKSDB_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "src/inspect/database/database.h"

namespace bloomline::tests {

// Column family, level, number, bytes, path, smallest and largest user key.
using TableFact =
    std::tuple<std::string, int, uint64_t, uint64_t, std::string, std::string, std::string>;
using TableFacts = std::set<TableFact>;

class RocksDBUnderTest {
  std::string path_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;

  // RocksDB 11 takes a unique_ptr.
  template <typename Families>
  auto Open(const Families& families, int)
      -> decltype(rocksdb::DB::Open(options_, path_, families, &handles_, &db_)) {
    return rocksdb::DB::Open(options_, path_, families, &handles_, &db_);
  }
  template <typename Families>
  rocksdb::Status Open(const Families& families, long) {
    rocksdb::DB* opened = nullptr;
    const auto status = rocksdb::DB::Open(options_, path_, families, &handles_, &opened);
    db_.reset(opened);
    return status;
  }

 public:
  RocksDBUnderTest(std::string path, rocksdb::Options options)
      : path_(std::move(path)), options_(std::move(options)) {
    options_.create_if_missing = true;
    Open();
  }
  ~RocksDBUnderTest() { Close(); }

  void Open() {
    std::vector<std::string> names;
    if (!rocksdb::DB::ListColumnFamilies(options_, path_, &names).ok()) names = {"default"};
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options_);
    const rocksdb::Status status = Open(families, 0);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void Close() {
    for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
    handles_.clear();
    db_.reset();
  }
  void Reopen() {
    Close();
    Open();
  }

  void AddFamily(const std::string& name, const rocksdb::ColumnFamilyOptions& options) {
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamily(options, name, &handle).ok());
    handles_.push_back(handle);
  }
  void DropFamily(size_t index) {
    ASSERT_TRUE(db_->DropColumnFamily(handles_[index]).ok());
    db_->DestroyColumnFamilyHandle(handles_[index]);
    handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // `num_keys` random keys of 16 digits in each column family, then a flush.
  void Fill(uint64_t seed, int num_keys, size_t value_bytes = 100) {
    for (size_t family = 0; family < handles_.size(); ++family) {
      for (int i = 0; i < num_keys; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        char key[24];
        std::snprintf(key, sizeof(key), "%016u", static_cast<unsigned>(seed >> 40));
        Put(handles_[family], key, std::string(value_bytes, static_cast<char>('a' + i % 26)));
      }
    }
    Flush();
  }
  void Put(rocksdb::ColumnFamilyHandle* family, const std::string& key, const std::string& value) {
    const auto* comparator = family->GetComparator();
    rocksdb::Status status;
    if (comparator->timestamp_size() == 0) {
      status = db_->Put(rocksdb::WriteOptions(), family, key, value);
    } else {
      std::string timestamp(8, '\0');
      timestamp[0] = static_cast<char>(1 + key.back() % 7);
      status = db_->Put(rocksdb::WriteOptions(), family, key, timestamp, value);
    }
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void Flush() {
    for (auto* handle : handles_) ASSERT_TRUE(db_->Flush({}, handle).ok());
  }
  // Lets the compactions that are due run, for a while.
  void Settle() {
    for (int waited = 0, quiet = 0; quiet < 3 && waited < 500; ++waited) {
      uint64_t running = 0;
      db_->GetIntProperty("rocksdb.num-running-compactions", &running);
      quiet = running == 0 ? quiet + 1 : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  TableFacts Expected() const {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    TableFacts facts;
    for (const auto& file : files) {
      facts.emplace(file.column_family_name, file.level, file.file_number, file.size,
                    file.directory + "/" + file.relative_filename, file.smallestkey,
                    file.largestkey);
    }
    return facts;
  }

  rocksdb::DB* operator->() { return db_.get(); }
  rocksdb::DB* get() { return db_.get(); }
  rocksdb::ColumnFamilyHandle* family(size_t index) { return handles_[index]; }
  size_t num_families() const { return handles_.size(); }
  const std::string& path() const { return path_; }
  rocksdb::Options& options() { return options_; }
};

inline TableFacts FactsOf(const database::Database& database) {
  TableFacts facts;
  for (const auto& file : database.files) {
    facts.emplace(database.column_families[static_cast<size_t>(file.column_family)].name,
                  file.level, file.number, file.bytes, file.path, file.smallest_key,
                  file.largest_key);
  }
  return facts;
}

inline database::Database OpenOne(const std::string& argument) {
  std::vector<database::Database> databases;
  std::string error;
  EXPECT_TRUE(database::OpenInput(argument, &databases, &error)) << error;
  EXPECT_EQ(databases.size(), 1u);
  return databases.empty() ? database::Database() : std::move(databases.front());
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INSPECT_DATABASE_ROCKSDB_H_
