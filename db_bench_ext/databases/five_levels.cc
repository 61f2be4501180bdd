#include "db_bench_ext/databases/five_levels.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "db_bench_ext/databases/rocksdb_open.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table_properties.h"

namespace bloomline::bench {
namespace {

// Bijective, so different numbers give different keys, spread over the whole range.
uint64_t Scatter(uint64_t number) {
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
  explicit Key(uint64_t mixed) {
    for (int i = 0; i < 8; ++i) bytes_[i] = static_cast<char>(mixed >> (8 * (7 - i)));
  }
  operator rocksdb::Slice() const { return {bytes_, sizeof(bytes_)}; }

 private:
  char bytes_[8];
};

// In ascending order, in which RocksDB takes and finds them in half of the time.
std::vector<uint64_t> KeysFrom(uint64_t first, uint64_t num) {
  std::vector<uint64_t> keys(num);
  for (uint64_t i = 0; i < num; ++i) keys[i] = Scatter(first + i);
  std::sort(keys.begin(), keys.end());
  return keys;
}

uint64_t FirstOf(int level) { return static_cast<uint64_t>(level) * kFirstOfLevel; }

}  // namespace

FiveLevels::FiveLevels(const std::string& path, std::shared_ptr<const rocksdb::FilterPolicy> policy,
                       uint64_t keys, const rocksdb::BlockBasedTableOptions& table)
    : path_(path),
      policy_(std::move(policy)),
      keys_(keys),
      table_(table),
      statistics_(rocksdb::CreateDBStatistics()) {
  Open();
  for (int level = kBottom; level >= kTop; --level) WriteLevel(level);
}

void FiveLevels::Open() {
  rocksdb::BlockBasedTableOptions table = table_;
  table.filter_policy = policy_;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.write_buffer_size = size_t{1} << 30;
  options.target_file_size_base = uint64_t{1} << 32;
  options.statistics = statistics_;
  if (account_ != nullptr) options.listeners.push_back(account_);
  db_ = OpenRocksDB(options, path_);
  std::string error;
  // No event tells the account of CompactFiles.
  if (account_ != nullptr && !account_->CountFiles(db_.get(), &error)) {
    throw std::runtime_error(error);
  }
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
  for (const uint64_t key : KeysFrom(FirstOf(level), KeysOf(level))) {
    Check(db_->Put(write, Key(key), value));
  }
  Check(db_->Flush({}));
  CompactTo(level, 0);
}

void FiveLevels::CompactTo(int level, int from) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const auto& file : files) {
    if (file.level == from) names.push_back(file.name);
  }
  if (names.size() != 1) {
    throw std::runtime_error("RocksDB: level " + std::to_string(from) + " has " +
                             std::to_string(names.size()) + " files, not 1");
  }
  Check(db_->CompactFiles({}, names, level));
}

void FiveLevels::ReopenWith(std::shared_ptr<const rocksdb::FilterPolicy> policy,
                            std::shared_ptr<FilterAccount> account) {
  db_.reset();
  policy_ = std::move(policy);
  account_ = std::move(account);
  Open();
}

void FiveLevels::Rewrite(std::shared_ptr<const rocksdb::FilterPolicy> policy,
                         std::shared_ptr<FilterAccount> account) {
  ReopenWith(std::move(policy), std::move(account));
  for (int level = kBottom; level >= kTop; --level) CompactTo(level, level);
}

FiveLevels::Filters FiveLevels::filters() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  rocksdb::TablePropertiesCollection tables;
  Check(db_->GetPropertiesOfAllTables(&tables));
  Filters filters;
  uint64_t keys_of_level[kBottom + 1] = {};
  for (const rocksdb::LiveFileMetaData& file : files) {
    const auto found = tables.find(file.db_path + file.name);
    if (found == tables.end() || file.level < kTop || file.level > kBottom) {
      throw std::runtime_error("RocksDB: unexpected file " + file.name + " of level " +
                               std::to_string(file.level));
    }
    const rocksdb::TableProperties& table = *found->second;
    keys_of_level[file.level] += table.num_entries;
    filters.bytes += table.filter_size;
    filters.bits_per_key[file.level] +=
        8 * static_cast<double>(table.filter_size) / static_cast<double>(KeysOf(file.level));
  }
  for (int level = kTop; level <= kBottom; ++level) {
    if (keys_of_level[level] != KeysOf(level)) {
      throw std::runtime_error("RocksDB: level " + std::to_string(level) + " has " +
                               std::to_string(keys_of_level[level]) + " keys, not " +
                               std::to_string(KeysOf(level)));
    }
  }
  filters.average = 8 * static_cast<double>(filters.bytes) / static_cast<double>(num_keys());
  return filters;
}

uint64_t FiveLevels::CountLostKeys() {
  uint64_t lost = 0;
  std::string value;
  for (int level = kTop; level <= kBottom; ++level) {
    for (const uint64_t key : KeysFrom(FirstOf(level), KeysOf(level))) {
      lost += db_->Get({}, Key(key), &value).ok() ? 0 : 1;
    }
  }
  return lost;
}

FiveLevels::Reads FiveLevels::ReadMissing(uint64_t num) {
  const auto ticker = [&](rocksdb::Tickers t) {
    return static_cast<double>(statistics_->getTickerCount(t));
  };
  Check(statistics_->Reset());
  Reads reads;
  std::string value;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = kFirstMissing; i < kFirstMissing + num; ++i) {
    reads.wrong_answers += db_->Get({}, Key(Scatter(i)), &value).IsNotFound() ? 0 : 1;
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

}  // namespace bloomline::bench
