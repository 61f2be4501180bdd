#include "db_bench_ext/databases/natural_database.h"

#include <chrono>
#include <thread>

#include "db_bench_ext/databases/rocksdb_open.h"
#include "db_bench_ext/support/keys.h"
#include "rocksdb/cache.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "src/support/hex.h"

namespace bloomline::bench {
namespace {

constexpr char kFirstValue[] = "01234567890123456789";
constexpr char kSecondValue[] = "98765432109876543210";

// Different numbers give different keys, spread over the whole range.
std::string KeyOf(uint64_t i) { return support::Hex(i * kGoldenRatio); }

constexpr int kWritesAtOnce = 1000;

rocksdb::Options OptionsOf(Compaction compaction, size_t buffer_bytes) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = buffer_bytes;
  options.target_file_size_base = 2 * buffer_bytes;
  options.max_bytes_for_level_base = 4 * buffer_bytes;
  options.max_background_jobs = 2;
  options.level_compaction_dynamic_level_bytes = compaction == Compaction::kDynamicLevels;
  if (compaction == Compaction::kUniversal) {
    options.compaction_style = rocksdb::kCompactionStyleUniversal;
  }
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

}  // namespace

NaturalDatabase::NaturalDatabase(Compaction compaction, const FilterSetup& setup,
                                 const std::string& path, size_t buffer_bytes)
    : compaction_(compaction), path_(path), options_(OptionsOf(compaction, buffer_bytes)) {
  ReopenWith(setup);
}

void NaturalDatabase::ReopenWith(const FilterSetup& setup) {
  db_.reset();
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = setup.policy;
  // It holds all blocks, which makes lookups faster and changes no count.
  table.block_cache = rocksdb::NewLRUCache(size_t{128} << 20);
  options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options_.listeners.clear();
  if (setup.listener != nullptr) options_.listeners.push_back(setup.listener);
  db_ = OpenRocksDB(options_, path_);
}

void NaturalDatabase::Put(uint64_t i, std::string_view value) {
  Check(batch_.Put(KeyOf(i), {value.data(), value.size()}));
  CommitIfFull();
}

void NaturalDatabase::CommitIfFull() {
  if (batch_.Count() == kWritesAtOnce) Commit();
}

void NaturalDatabase::Commit() {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  Check(db_->Write(options, &batch_));
  batch_.Clear();
}

void NaturalDatabase::GrowTo(uint64_t num) {
  for (; num_written_ < num; ++num_written_) Put(num_written_, kFirstValue);
  Commit();
}

void NaturalDatabase::Overwrite(uint64_t num) {
  is_overwritten_.resize(num_written_);
  for (uint64_t i = 0; i < num; ++i) {
    random_state_ += kGoldenRatio;
    const uint64_t key = Mix(random_state_) % num_written_;
    Put(key, kSecondValue);
    is_overwritten_[key] = true;
  }
  Commit();
}

void NaturalDatabase::DeleteTwoThirds(uint64_t num) {
  for (; num_deleted_ < num; ++num_deleted_) {
    if (num_deleted_ % 3 == 0) continue;
    Check(batch_.Delete(KeyOf(num_deleted_)));
    CommitIfFull();
  }
  Commit();
}

void NaturalDatabase::Flush() {
  Commit();
  Check(db_->Flush({}));
}

void NaturalDatabase::Pause() { Check(db_->PauseBackgroundWork()); }

void NaturalDatabase::Continue() { Check(db_->ContinueBackgroundWork()); }

bool NaturalDatabase::IsBusy() const {
  const auto is_not_zero = [this](const std::string& property) {
    uint64_t value = 0;
    return db_->GetIntProperty(property, &value) && value != 0;
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

bool NaturalDatabase::Get(uint64_t i, std::string* value) {
  const rocksdb::Status status = db_->Get({}, KeyOf(i), value);
  if (status.IsNotFound()) return false;
  Check(status);
  return true;
}

NaturalDatabase::Reads NaturalDatabase::ReadMissing(uint64_t num) {
  rocksdb::Statistics* const statistics = options_.statistics.get();
  Check(statistics->Reset());
  Reads reads;
  std::string value;
  for (uint64_t i = kFirstMissingIndex; i < kFirstMissingIndex + num; ++i) {
    if (Get(i, &value)) ++reads.num_found;
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
    const bool is_found = Get(i, &value);
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
