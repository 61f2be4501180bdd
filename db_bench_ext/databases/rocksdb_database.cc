#include "db_bench_ext/databases/rocksdb_database.h"

#include <algorithm>
#include <stdexcept>

#include "rocksdb/metadata.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"

namespace bloomline::bench {
void BlockCounts::Add(const BlockCounts& other) {
  data_reads += other.data_reads;
  index_reads += other.index_reads;
  filter_reads += other.filter_reads;
  bytes_read += other.bytes_read;
  cache_hits += other.cache_hits;
  filter_positives += other.filter_positives;
}

RocksDBDatabase::RocksDBDatabase(const rocksdb::Options& options,
                                 const rocksdb::BlockBasedTableOptions& table,
                                 const std::string& parent)
    : directory_(parent), options_(options) {
  options_.create_if_missing = true;
  options_.compression = rocksdb::kNoCompression;
  options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  write_options_.disableWAL = true;
  Reopen();
}

void RocksDBDatabase::Reopen() {
  db_.reset();
  db_ = OpenRocksDB(options_, path());
}

void RocksDBDatabase::Put(std::string_view key, std::string_view value) {
  Check(batch_.Put({key.data(), key.size()}, {value.data(), value.size()}));
  if (batch_.Count() == kBatchRows) Commit();
}

void RocksDBDatabase::Commit() {
  Check(db_->Write(write_options_, &batch_));
  batch_.Clear();
}

void RocksDBDatabase::Flush() {
  Commit();
  Check(db_->Flush({}));
}

void RocksDBDatabase::CompactAndReopen() {
  Commit();
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  Check(db_->CompactRange(options, nullptr, nullptr));
  Reopen();
  CheckOneSortedRun();
}

// The key ranges of the files must not overlap. The files of one run may lie in two levels: RocksDB
// moves some down when a level exceeds its size.
void RocksDBDatabase::CheckOneSortedRun() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  const auto by_key = [](const auto& a, const auto& b) { return a.smallestkey < b.smallestkey; };
  std::sort(files.begin(), files.end(), by_key);
  for (size_t i = 1; i < files.size(); ++i) {
    if (files[i].smallestkey <= files[i - 1].largestkey)
      throw std::runtime_error("RocksDB: compaction did not leave one sorted run");
  }
}

bool RocksDBDatabase::Get(std::string_view key, std::string* value) {
  const rocksdb::Status status =
      db_->Get(rocksdb::ReadOptions(), rocksdb::Slice(key.data(), key.size()), value);
  if (status.IsNotFound()) return false;
  Check(status);
  return true;
}

void RocksDBDatabase::StartCounting() {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
}

BlockCounts RocksDBDatabase::StopCounting() {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
  BlockCounts counts;
  counts.index_reads = perf.index_block_read_count;
  counts.filter_reads = perf.filter_block_read_count;
  counts.data_reads = perf.block_read_count - counts.index_reads - counts.filter_reads;
  counts.bytes_read = perf.block_read_byte;
  counts.cache_hits = perf.block_cache_hit_count;
  counts.filter_positives = perf.bloom_sst_hit_count;
  return counts;
}

FilterSummary RocksDBDatabase::Filters() {
  const FileSums sums = SumsOfFiles();
  return {sums.filter_bytes, sums.filter_bytes, sums.num_filters};
}

std::unique_ptr<Database> NewUncachedRocksDB(const Policy& policy, const std::string& parent) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBPolicy(policy);
  table.no_block_cache = true;
  table.cache_index_and_filter_blocks = false;  // the table reader holds the filter
  return std::make_unique<RocksDBDatabase>(rocksdb::Options(), table, parent);
}

}  // namespace bloomline::bench
