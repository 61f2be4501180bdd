#include "db_bench_ext/compare/rocksdb_engine.h"

#include <algorithm>
#include <stdexcept>

#include "bloomline/rocksdb.h"
#include "bloomline/sizing.h"
#include "db_bench_ext/compare/theory.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/version.h"
#include "rocksdb/write_batch.h"

namespace bloomline::bench {
namespace {

void Check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("RocksDB: " + status.ToString());
}

std::shared_ptr<const rocksdb::FilterPolicy> NewPolicy(Policy policy, int bits_per_key) {
  using Made = std::shared_ptr<const rocksdb::FilterPolicy>;
  if (policy == Policy::kBloom) return Made(rocksdb::NewBloomFilterPolicy(bits_per_key));
  // -1: Ribbon at every level, for flushed files, too.
  if (policy == Policy::kRibbon) return Made(rocksdb::NewRibbonFilterPolicy(bits_per_key, -1));
  if (policy == Policy::kNone) return nullptr;
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  if (policy != Policy::kBloomline) options.format = Format::kCompact;
  if (policy == Policy::kCompactSameRate) {
    options = FilterOptions::ForFalsePositiveRate(
        Format::kCompact, FalsePositiveRate(Format::kBlocked, bits_per_key));
  }
  std::string error;
  Made made = NewRocksDBFilterPolicy(options, &error);
  if (made == nullptr) throw std::runtime_error("bloomline: " + error);
  return made;
}

class RocksDBDatabase : public Database {
 public:
  RocksDBDatabase(Policy policy, int bits_per_key, const std::string& directory)
      : directory_(directory), has_filters_(policy != Policy::kNone) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = NewPolicy(policy, bits_per_key);
    table.no_block_cache = true;  // each data block needed is one read, as with LevelDB
    table.cache_index_and_filter_blocks = false;  // the table reader holds the filter
    options_.create_if_missing = true;
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options_.compression = rocksdb::kNoCompression;
    options_.max_open_files = -1;  // every table is opened with the database
    write_options_.disableWAL = true;
    Open();
  }

  void Put(std::string_view key, std::string_view value) override {
    Check(batch_.Put({key.data(), key.size()}, {value.data(), value.size()}));
    if (batch_.Count() == kBatchRows) Commit();
  }

  void CompactAndReopen() override {
    Commit();
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    Check(db_->CompactRange(options, nullptr, nullptr));
    db_.reset();
    Open();
    CheckOneSortedRun();
  }

  bool Get(const std::string& key, std::string* value) override {
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), key, value);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }

  void StartCounting() override {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    rocksdb::get_perf_context()->Reset();
  }

  ReadCounts StopCounting() override {
    const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    if (perf.index_block_read_count + perf.filter_block_read_count != 0)
      throw std::runtime_error("RocksDB: index or filter blocks were read by Gets");
    return {perf.block_read_count, has_filters_ ? perf.bloom_sst_hit_count : perf.block_read_count};
  }

  FilterSummary Filters() override {
    rocksdb::TablePropertiesCollection files;
    Check(db_->GetPropertiesOfAllTables(&files));
    FilterSummary sum;
    for (const auto& [name, properties] : files) {
      sum.block_bytes += properties->filter_size;
      if (properties->filter_size > 0) ++sum.num_filters;
    }
    sum.filter_bytes = sum.block_bytes;
    return sum;
  }

 private:
  void Open() {
#if ROCKSDB_MAJOR >= 11
    Check(rocksdb::DB::Open(options_, directory_, &db_));
#else
    rocksdb::DB* db = nullptr;
    Check(rocksdb::DB::Open(options_, directory_, &db));
    db_.reset(db);
#endif
  }

  void Commit() {
    Check(db_->Write(write_options_, &batch_));
    batch_.Clear();
  }

  // The key ranges of the files must not overlap. The files of one run may lie in two levels:
  // RocksDB moves some down when a level exceeds its size.
  void CheckOneSortedRun() {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    const auto by_key = [](const auto& a, const auto& b) { return a.smallestkey < b.smallestkey; };
    std::sort(files.begin(), files.end(), by_key);
    for (size_t i = 1; i < files.size(); ++i) {
      if (files[i].smallestkey <= files[i - 1].largestkey)
        throw std::runtime_error("RocksDB: compaction did not leave one sorted run");
    }
  }

  const std::string directory_;
  const bool has_filters_;
  rocksdb::Options options_;
  rocksdb::WriteOptions write_options_;
  rocksdb::WriteBatch batch_;
  std::unique_ptr<rocksdb::DB> db_;
};

std::unique_ptr<Database> OpenRocksDB(Policy policy, int bits_per_key,
                                      const std::string& directory) {
  return std::make_unique<RocksDBDatabase>(policy, bits_per_key, directory);
}

}  // namespace

Engine RocksDBEngine() {
  return {"rocksdb",
          "RocksDB",
          {Policy::kNone, Policy::kBloom, Policy::kRibbon, Policy::kBloomline, Policy::kCompact,
           Policy::kCompactSameRate},
          OpenRocksDB,
          RocksDBTheory};
}

}  // namespace bloomline::bench
