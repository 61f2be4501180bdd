// RocksDB as an Engine.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "db_bench_ext/compare/compare.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"

namespace bloomline::bench::compare {
namespace {

class RocksDBDatabase : public Database {
 public:
  RocksDBDatabase(const Policy& policy, const std::string& directory)
      : directory_(directory), has_filters_(policy.HasFilter()) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = NewRocksDBPolicy(policy);
    table.no_block_cache = true;  // each data block needed is one read, as with LevelDB
    table.cache_index_and_filter_blocks = false;  // the table reader holds the filter
    options_.create_if_missing = true;
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options_.compression = rocksdb::kNoCompression;
    options_.max_open_files = -1;  // every table is opened with the database
    write_options_.disableWAL = true;
    db_ = OpenRocksDB(options_, directory_);
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
    db_ = OpenRocksDB(options_, directory_);
    CheckOneSortedRun();
  }

  bool Get(const std::string& key, std::string* value) override {
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), key, value);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }

  void StartCounting() override { bench::StartCounting(); }

  BlockCounts StopCounting() override {
    BlockCounts counts = bench::StopCounting();
    if (counts.Reads() != counts.data_reads)
      throw std::runtime_error("RocksDB: index or filter blocks were read by Gets");
    if (!has_filters_) counts.filter_positives = counts.data_reads;
    return counts;
  }

  FilterSummary Filters() override {
    const FileSums sums = SumsOfFiles(db_.get());
    return {sums.filter_bytes, sums.filter_bytes, sums.num_filters};
  }

 private:
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

std::vector<Policy> Policies(int bits) {
  return {NoFilter(),    BuiltinBloom(bits), BuiltinRibbon(bits),
          Blocked(bits), Compact(bits),      CompactOfSameRate(bits)};
}

std::unique_ptr<Database> Open(const Policy& policy, const std::string& directory) {
  return std::make_unique<RocksDBDatabase>(policy, directory);
}

// RocksDB's FastLocalBloom::ChooseNumProbes, in whole bits per key.
int RocksDBBloomNumProbes(int bits_per_key) {
  constexpr int kLastBitsForProbes[] = {2, 3, 5, 6, 8, 10, 11, 14, 16, 18, 22, 25};
  const int* found =
      std::lower_bound(std::begin(kLastBitsForProbes), std::end(kLastBitsForProbes), bits_per_key);
  if (found != std::end(kLastBitsForProbes))
    return static_cast<int>(found - kLastBitsForProbes) + 1;
  return (bits_per_key * 1000 - 1) / 2000 - 1;
}

// Ribbon aims at the rate of RocksDB's Bloom filter.
double Theory(const Policy& policy, const FilterSummary&, uint64_t) {
  if (!policy.HasFilter()) return NAN;
  if (policy.filter == Filter::kCompact) return CompactFalsePositiveRate(policy.bits_per_key);
  const int num_probes = policy.filter == Filter::kBlocked
                             ? OptimalNumProbes(Format::kBlocked, policy.bits_per_key)
                             : RocksDBBloomNumProbes(static_cast<int>(policy.bits_per_key));
  return BlockedFalsePositiveRate(policy.bits_per_key, num_probes);
}

}  // namespace

Engine RocksDBEngine() { return {"rocksdb", "RocksDB", Policies, Open, Theory}; }

}  // namespace bloomline::bench::compare
