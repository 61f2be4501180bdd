#include "tests/engines/uneven_tree.h"

#include <gtest/gtest.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <utility>

#include "tests/engines/rocksdb_open.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

// What lies in a level: so many keys, in the range from `first` on that is 1 / 2^narrow of all.
struct Part {
  int level;
  uint64_t divisor;  // of the keys of the last level
  uint64_t first;
  int narrow;
};
constexpr Part kParts[] = {
    {6, 1, 0, 0}, {5, 8, uint64_t{1} << 62, 1}, {4, 20, uint64_t{3} << 60, 2}, {3, 100, 0, 0}};

// Scattered evenly. Stored keys are even, missing ones odd.
uint64_t Number(uint64_t i) { return i * 0x9e3779b97f4a7c15; }
uint64_t Stored(const Part& part, uint64_t i) {
  return (part.first + (Number(i) >> part.narrow)) & ~uint64_t{1};
}

std::string Key(uint64_t number) {
  std::string key(8, '\0');
  for (size_t i = 0; i < 8; ++i) key[i] = static_cast<char>(number >> (8 * (7 - i)));
  return key;
}

double Place(const std::string& key) {
  double number = 0;
  for (const char byte : key) number = number * 256 + static_cast<unsigned char>(byte);
  return number / 18446744073709551616.0;  // 2^64
}

}  // namespace

UnevenTree::UnevenTree(const std::string& path, uint64_t keys, bool is_partitioned)
    : path_(path),
      keys_(keys),
      is_partitioned_(is_partitioned),
      statistics_(rocksdb::CreateDBStatistics()) {
  Open(Policy(rocksdb::NewBloomFilterPolicy(10)));
  for (size_t i = 0; i < std::size(kParts) && db_ != nullptr; ++i) Write(i);
}

void UnevenTree::Open(Policy policy) {
  db_.reset();
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  table.partition_filters = is_partitioned_;
  if (is_partitioned_) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.write_buffer_size = size_t{1} << 30;
  options.statistics = statistics_;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const rocksdb::Status status = OpenRocksDB(options, path_, &db_);
  EXPECT_TRUE(status.ok()) << status.ToString();
}

void UnevenTree::Write(size_t part) {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  for (uint64_t i = 0; i < keys_ / kParts[part].divisor; ++i) {
    ASSERT_TRUE(db_->Put(write, Key(Stored(kParts[part], i)), "a value of some length").ok());
  }
  ASSERT_TRUE(db_->Flush({}).ok());
  Compact(0, kParts[part].level);
}

void UnevenTree::Compact(int from, int to) {
  std::vector<std::string> names;
  for (const auto& file : FilesByLevel()[from]) names.push_back(file.name);
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kNoCompression;
  options.output_file_size_limit = 256 << 10;
  const rocksdb::Status status = db_->CompactFiles(options, names, to);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

void UnevenTree::Rewrite(Policy policy) {
  Open(std::move(policy));
  for (const Part& part : kParts) Compact(part.level, part.level);
}

std::map<int, UnevenTree::Files> UnevenTree::FilesByLevel() const {
  Files files;
  db_->GetLiveFilesMetaData(&files);
  std::map<int, Files> by_level;
  for (const auto& file : files) by_level[file.level].push_back(file);
  return by_level;
}

advice::Situation UnevenTree::Look(double wasted_reads) const {
  rocksdb::TablePropertiesCollection tables;
  EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
  advice::Situation situation;
  situation.partitioned = is_partitioned_;
  double all_runs = 0;
  for (const auto& [number, files] : FilesByLevel()) {
    advice::Level level;
    level.number = number;
    level.num_runs = 0;
    // Partitions are cut at 4096 bytes, less a tenth.
    constexpr uint64_t kKeysPerPartition = 2944;
    if (is_partitioned_) situation.keys_per_filter = kKeysPerPartition;
    level.num_filters = is_partitioned_ ? 0 : files.size();
    for (const rocksdb::LiveFileMetaData& file : files) {
      // The missing keys are everywhere alike.
      level.num_runs += Place(file.largestkey) - Place(file.smallestkey);
      for (const auto& [name, properties] : tables) {
        if (name.rfind(file.name) == std::string::npos) continue;
        level.num_keys += properties->num_entries;
        level.filter_bytes += properties->filter_size;
      }
    }
    all_runs += level.num_runs;
    situation.levels.push_back(level);
  }
  for (advice::Level& level : situation.levels) {
    level.wasted_reads = wasted_reads * level.num_runs / all_runs;
  }
  return situation;
}

UnevenTree::Reads UnevenTree::ReadMissing(uint64_t num) {
  EXPECT_TRUE(statistics_->Reset().ok());
  std::string value;
  for (uint64_t i = 0; i < num; ++i) {
    EXPECT_TRUE(db_->Get({}, Key(Number(keys_ + i) | 1), &value).IsNotFound());
  }
  const auto ticker = [&](rocksdb::Tickers t) {
    return static_cast<double>(statistics_->getTickerCount(t)) / static_cast<double>(num);
  };
  return {ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE), ticker(rocksdb::BLOOM_FILTER_USEFUL)};
}

uint64_t UnevenTree::CountLostKeys() {
  uint64_t lost = 0;
  std::string value;
  for (const Part& part : kParts) {
    for (uint64_t i = 0; i < keys_ / part.divisor; ++i) {
      lost += db_->Get({}, Key(Stored(part, i)), &value).ok() ? 0 : 1;
    }
  }
  return lost;
}

}  // namespace bloomline::tests
