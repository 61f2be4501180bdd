#include "tests/engines/five_levels.h"

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <chrono>
#include <utility>
#include <vector>

#include "tests/engines/rocksdb_open.h"

namespace bloomline::tests {
namespace {

// Bijective, so different numbers give different keys, spread over the whole range.
uint64_t Mix(uint64_t number) {
  number ^= number >> 32;
  number *= 0xd6e8feb86659fd93;
  number ^= number >> 32;
  number *= 0xd6e8feb86659fd93;
  return number ^ number >> 32;
}

constexpr uint64_t kFirstOfLevel = uint64_t{1} << 40;
constexpr uint64_t kFirstMissing = uint64_t{1} << 50;
constexpr uint64_t kRatio = 10;

class Key {
 public:
  explicit Key(uint64_t number) {
    const uint64_t mixed = Mix(number);
    for (int i = 0; i < 8; ++i) bytes_[i] = static_cast<char>(mixed >> (8 * (7 - i)));
  }
  operator rocksdb::Slice() const { return {bytes_, sizeof(bytes_)}; }

 private:
  char bytes_[8];
};

uint64_t FirstOf(int level) { return static_cast<uint64_t>(level) * kFirstOfLevel; }

}  // namespace

FiveLevels::FiveLevels(const std::string& path, std::shared_ptr<const rocksdb::FilterPolicy> policy,
                       uint64_t keys, const rocksdb::BlockBasedTableOptions& table)
    : path_(path),
      policy_(std::move(policy)),
      keys_(keys),
      table_(table),
      statistics_(rocksdb::CreateDBStatistics()) {
  Open(false);
  for (int level = kBottom; level >= kTop; --level) WriteLevel(level);
}

void FiveLevels::ReadFromDevice() {
  db_.reset();
  Open(true);
}

void FiveLevels::Open(bool from_device) {
  rocksdb::BlockBasedTableOptions table = table_;
  table.filter_policy = policy_;
  table.no_block_cache = from_device;
  rocksdb::Options options = WithTable(table);
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.write_buffer_size = size_t{1} << 30;
  options.target_file_size_base = uint64_t{1} << 32;
  options.use_direct_reads = from_device;
  options.statistics = statistics_;
  db_ = MustOpenRocksDB(options, path_);
}

uint64_t FiveLevels::KeysOf(int level) const {
  uint64_t keys = keys_;
  for (; level < kBottom; ++level) keys /= kRatio;
  return keys;
}

uint64_t FiveLevels::num_keys() const {
  uint64_t keys = 0;
  for (int level = kTop; level <= kBottom; ++level) keys += KeysOf(level);
  return keys;
}

void FiveLevels::WriteLevel(int level) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  const std::string value(80, 'v');
  const uint64_t first = FirstOf(level);
  for (uint64_t i = first; i < first + KeysOf(level); ++i) {
    ASSERT_TRUE(db_->Put(write, Key(i), value).ok());
  }
  ASSERT_TRUE(db_->Flush({}).ok());
  CompactTo(level, 0);
}

void FiveLevels::CompactTo(int level, int from) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const auto& file : files) {
    if (file.level == from) names.push_back(file.name);
  }
  ASSERT_EQ(names.size(), 1u);
  const rocksdb::Status status = db_->CompactFiles({}, names, level);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

void FiveLevels::ReopenWith(std::shared_ptr<const rocksdb::FilterPolicy> policy) {
  db_.reset();
  policy_ = std::move(policy);
  Open(false);
}

void FiveLevels::Rewrite(std::shared_ptr<const rocksdb::FilterPolicy> policy) {
  ReopenWith(std::move(policy));
  for (int level = kBottom; level >= kTop; --level) CompactTo(level, level);
}

FiveLevels::Filters FiveLevels::filters() const {
  const auto tables = TablesByLevel(db_.get());
  EXPECT_EQ(tables.size(), size_t{kNumLevels});
  Filters filters;
  for (const auto& [level, table] : tables) {
    EXPECT_EQ(table->num_entries, KeysOf(level)) << "level " << level;
    filters.bytes += table->filter_size;
    filters.bits_per_key[level] =
        8 * static_cast<double>(table->filter_size) / static_cast<double>(table->num_entries);
  }
  filters.average = 8 * static_cast<double>(filters.bytes) / static_cast<double>(num_keys());
  return filters;
}

uint64_t FiveLevels::CountLostKeys() {
  uint64_t lost = 0;
  std::string value;
  for (int level = kTop; level <= kBottom; ++level) {
    for (uint64_t i = FirstOf(level); i < FirstOf(level) + KeysOf(level); ++i) {
      lost += db_->Get({}, Key(i), &value).ok() ? 0 : 1;
    }
  }
  return lost;
}

FiveLevels::Reads FiveLevels::ReadMissing(uint64_t num) {
  const auto ticker = [&](rocksdb::Tickers t) {
    return static_cast<double>(statistics_->getTickerCount(t));
  };
  EXPECT_TRUE(statistics_->Reset().ok());
  Reads reads;
  std::string value;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = kFirstMissing; i < kFirstMissing + num; ++i) {
    reads.wrong_answers += db_->Get({}, Key(i), &value).IsNotFound() ? 0 : 1;
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  const double gets = static_cast<double>(num);
  reads.microseconds = took.count() / gets;
  reads.positives = ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE) / gets;
  reads.rejections = ticker(rocksdb::BLOOM_FILTER_USEFUL) / gets;
  reads.per_get =
      (ticker(rocksdb::BLOCK_CACHE_DATA_HIT) + ticker(rocksdb::BLOCK_CACHE_DATA_MISS)) / gets;
  return reads;
}

}  // namespace bloomline::tests
