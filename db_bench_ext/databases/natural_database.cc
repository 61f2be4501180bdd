#include "db_bench_ext/databases/natural_database.h"

#include <chrono>
#include <thread>
#include <utility>

#include "db_bench_ext/support/keys.h"
#include "rocksdb/cache.h"
#include "rocksdb/statistics.h"
#include "src/support/hex.h"

namespace bloomline::bench {
namespace {

constexpr char kFirstValue[] = "01234567890123456789";
constexpr char kSecondValue[] = "98765432109876543210";

// Different numbers give different keys, spread over the whole range.
std::string KeyOf(uint64_t i) { return support::Hex(i * kGoldenRatio); }

rocksdb::Options OptionsOf(Compaction compaction) {
  rocksdb::Options options;
  options.write_buffer_size = size_t{256} << 10;
  options.max_bytes_for_level_base = uint64_t{1} << 20;
  options.target_file_size_base = uint64_t{512} << 10;
  options.max_background_jobs = 2;
  options.level_compaction_dynamic_level_bytes = compaction == Compaction::kDynamicLevels;
  if (compaction == Compaction::kUniversal) {
    options.compaction_style = rocksdb::kCompactionStyleUniversal;
  }
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

// The cache holds all blocks, which makes lookups faster and changes no count.
rocksdb::BlockBasedTableOptions TableOf(std::shared_ptr<const rocksdb::FilterPolicy> policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  table.block_cache = rocksdb::NewLRUCache(size_t{128} << 20);
  return table;
}

}  // namespace

NaturalDatabase::NaturalDatabase(Compaction compaction,
                                 std::shared_ptr<const rocksdb::FilterPolicy> policy,
                                 const std::string& parent)
    : RocksDBDatabase(OptionsOf(compaction), TableOf(std::move(policy)), parent),
      compaction_(compaction) {}

void NaturalDatabase::ReopenWith(std::shared_ptr<const rocksdb::FilterPolicy> policy) {
  Reopen(TableOf(std::move(policy)));
}

void NaturalDatabase::GrowTo(uint64_t num) {
  for (; num_written_ < num; ++num_written_) Put(KeyOf(num_written_), kFirstValue);
  Commit();
}

void NaturalDatabase::Overwrite(uint64_t num) {
  is_overwritten_.resize(num_written_);
  for (uint64_t i = 0; i < num; ++i) {
    random_state_ += kGoldenRatio;
    const uint64_t key = Mix(random_state_) % num_written_;
    Put(KeyOf(key), kSecondValue);
    is_overwritten_[key] = true;
  }
  Commit();
}

void NaturalDatabase::DeleteTwoThirds(uint64_t num) {
  for (; num_deleted_ < num; ++num_deleted_) {
    if (num_deleted_ % 3 != 0) Delete(KeyOf(num_deleted_));
  }
  Commit();
}

void NaturalDatabase::Pause() { Check(db()->PauseBackgroundWork()); }

void NaturalDatabase::Continue() { Check(db()->ContinueBackgroundWork()); }

bool NaturalDatabase::IsBusy() const {
  const auto is_not_zero = [this](const std::string& property) {
    uint64_t value = 0;
    return db()->GetIntProperty(property, &value) && value != 0;
  };
  // With universal compaction, one may stay pending that RocksDB does not begin.
  return is_not_zero(rocksdb::DB::Properties::kNumRunningCompactions) ||
         is_not_zero(rocksdb::DB::Properties::kNumRunningFlushes) ||
         (compaction_ != Compaction::kUniversal &&
          is_not_zero(rocksdb::DB::Properties::kCompactionPending));
}

void NaturalDatabase::Rest() {
  Flush();
  // Between two compactions there may be a moment in which none runs.
  const int enough = compaction_ == Compaction::kUniversal ? 20 : 5;
  for (int quiet = 0; quiet < enough; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (IsBusy()) quiet = 0;
  }
}

NaturalDatabase::Reads NaturalDatabase::ReadMissing(uint64_t num) {
  rocksdb::Statistics* const statistics = db()->GetDBOptions().statistics.get();
  Check(statistics->Reset());
  Reads reads;
  std::string value;
  for (uint64_t i = kFirstMissingIndex; i < kFirstMissingIndex + num; ++i) {
    if (Get(KeyOf(i), &value)) ++reads.num_found;
  }
  const auto positives =
      static_cast<double>(statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE));
  const auto negatives =
      static_cast<double>(statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL));
  reads.positives = positives / static_cast<double>(num);
  reads.probes = (positives + negatives) / static_cast<double>(num);
  return reads;
}

NaturalDatabase::Lookups NaturalDatabase::LookUpStoredKeys() {
  Lookups lookups;
  std::string value;
  for (uint64_t i = 0; i < num_written_; ++i) {
    const bool is_found = Get(KeyOf(i), &value);
    if (!IsStored(i)) {
      lookups.num_back += is_found ? 1 : 0;
      continue;
    }
    ++lookups.num;
    const bool is_overwritten = i < is_overwritten_.size() && is_overwritten_[i];
    if (!is_found || value != (is_overwritten ? kSecondValue : kFirstValue)) ++lookups.num_lost;
  }
  return lookups;
}

}  // namespace bloomline::bench
