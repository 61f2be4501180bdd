#include "tests/rocksdb_matrix/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "tests/engines/rocksdb_open.h"
#include "tests/rocksdb_matrix/keys.h"

namespace bloomline::matrix {
namespace {

constexpr char kPath[] = "/matrix";

size_t Pick(Random* random, std::initializer_list<size_t> values) {
  return values.begin()[random->Below(values.size())];
}

std::string Failure(const char* what, const rocksdb::Status& status) {
  return status.ok() ? "" : std::string(what) + ": " + status.ToString();
}

}  // namespace

Settings::Settings(Random* random)
    : num_keys(400 + random->Below(2000)),
      block_bytes(Pick(random, {size_t{128}, size_t{512}, size_t{4096}})),
      metadata_block_bytes(Pick(random, {size_t{128}, size_t{256}, size_t{1024}})),
      output_file_bytes(Pick(random, {size_t{1} << 30, size_t{16} << 10})),
      format_version(random->OneIn(3) ? 3 : 5),
      cache_filters(random->OneIn(2)),
      pin_filters(random->OneIn(2)),
      verify_filters(random->OneIn(2)),
      optimize_for_memory(random->OneIn(2)) {}

Database::Database(const Cell& cell, const Settings& settings, Policy policy)
    : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())),
      output_file_bytes_(settings.output_file_bytes) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  table.whole_key_filtering = cell.whole_key();
  table.partition_filters = cell.is_partitioned();
  if (cell.index() != Index::kFull) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
#if BLOOMLINE_ROCKSDB_VERSION >= 906
  table.decouple_partitioned_filters = cell.index() == Index::kDecoupled;
#endif
  table.block_size = settings.block_bytes;
  table.metadata_block_size = settings.metadata_block_bytes;
  table.format_version = settings.format_version;
  table.cache_index_and_filter_blocks = settings.cache_filters;
  table.pin_l0_filter_and_index_blocks_in_cache = settings.pin_filters;
  table.detect_filter_construct_corruption = settings.verify_filters;
  table.optimize_filters_for_memory = settings.optimize_for_memory;
  table.block_cache = rocksdb::NewLRUCache(8 << 20, 0);
  options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options_.env = env_.get();
  options_.create_if_missing = true;
  options_.comparator = ComparatorOf(cell.keys());
  options_.disable_auto_compactions = true;
  options_.level_compaction_dynamic_level_bytes = false;
  options_.num_levels = kBottomLevel + 1;
  options_.compression = rocksdb::kNoCompression;
  options_.stats_dump_period_sec = 0;
  options_.stats_persist_period_sec = 0;
  options_.write_buffer_size = 1 << 20;
}

std::string Database::Open(std::shared_ptr<const rocksdb::SliceTransform> extractor) {
  db_.reset();
  options_.prefix_extractor = std::move(extractor);
  return Failure("open", tests::OpenRocksDB(options_, kPath, &db_));
}

std::string Database::Flush() { return Failure("flush", db_->Flush({})); }

std::string Database::MoveTo(int level) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const rocksdb::LiveFileMetaData& file : files) {
    if (file.level == 0) names.push_back(file.name);
  }
  rocksdb::CompactionOptions compaction;
  compaction.compression = rocksdb::kNoCompression;
  compaction.output_file_size_limit = output_file_bytes_;
  return Failure("compaction", db_->CompactFiles(compaction, names, level));
}

std::string Database::CompactAll() {
  rocksdb::CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  return Failure("compaction", db_->CompactRange(compaction, nullptr, nullptr));
}

}  // namespace bloomline::matrix
