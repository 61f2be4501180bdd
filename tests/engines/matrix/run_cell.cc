#include "tests/engines/matrix/run_cell.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/table.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/engines/rocksdb_open.h"

namespace bloomline::matrix {

std::string WrongUse(const Cell& cell, const Report& report) {
  const bool has_prefixes = FirstExtractor(cell.prefix()) != nullptr;
  if (report.by_gets.queries() == 0 && (cell.whole_key() || has_prefixes)) {
    return "Gets: no filter was queried";
  }
  if (report.by_seeks.queries() == 0 && has_prefixes) return "Seeks: no filter was queried";
  if (report.by_gets.queries() > 0 && report.by_gets.no == 0) {
    return "Gets: no filter excluded a key";
  }
  if (report.by_seeks.queries() > 0 && report.by_seeks.no == 0) {
    return "Seeks: no filter excluded a prefix";
  }
  const bool has_later_prefixes = LaterExtractor(cell.prefix()) != nullptr;
  if (report.later_gets == 0 && (cell.whole_key() || has_later_prefixes)) {
    return "Gets after reopening: no new filter was queried";
  }
  if (report.later_seeks == 0 && has_later_prefixes) {
    return "Seeks after reopening: no new filter was queried";
  }
  return "";
}

namespace {

// What a cell does not name: chosen by its name and the seed.
struct Settings {
  explicit Settings(Random* random);

  size_t num_keys;
  size_t block_bytes;
  size_t metadata_block_bytes;
  size_t output_file_bytes;  // of compactions to a level
  uint32_t format_version;
  bool cache_filters;  // cache_index_and_filter_blocks
  bool pin_filters;
  bool verify_filters;  // detect_filter_construct_corruption
  bool optimize_for_memory;
};

// Functions return an empty string, or what went wrong.
class Database {
 public:
  static constexpr int kBottomLevel = 4;

  Database(const Cell& cell, const Settings& settings, Policy policy);

  // Opens it, or closes it and opens it again.
  std::string Open(std::shared_ptr<const rocksdb::SliceTransform> extractor);
  std::string Flush();
  // Moves all files of level 0 to `level`.
  std::string MoveTo(int level);
  // Rewrites all files.
  std::string CompactAll();

  rocksdb::DB* db() { return db_.get(); }

 private:
  const std::unique_ptr<rocksdb::Env> env_;
  const size_t output_file_bytes_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

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
  if (cell.index() != Index::kFull) tests::PartitionFilters(settings.metadata_block_bytes, &table);
  table.partition_filters = cell.is_partitioned();
#if BLOOMLINE_ROCKSDB_VERSION >= 906
  table.decouple_partitioned_filters = cell.index() == Index::kDecoupled;
#endif
  table.block_size = settings.block_bytes;
  table.format_version = settings.format_version;
  table.cache_index_and_filter_blocks = settings.cache_filters;
  table.pin_l0_filter_and_index_blocks_in_cache = settings.pin_filters;
  table.detect_filter_construct_corruption = settings.verify_filters;
  table.optimize_filters_for_memory = settings.optimize_for_memory;
  table.block_cache = rocksdb::NewLRUCache(8 << 20, 0);
  options_ = tests::WithTable(table);
  options_.env = env_.get();
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

std::string Database::CompactAll() { return Failure("compaction", tests::CompactAll(db_.get())); }

namespace {

constexpr uint64_t kGetsPerSeek = 64;
constexpr uint64_t kMinSeeks = 40;

class CellRun {
 public:
  CellRun(const Cell& cell, uint64_t gets, uint64_t seed, const Policy& policy, Report* report)
      : cell_(cell),
        gets_(gets),
        report_(report),
        settings_random_(seed, cell.Name()),
        random_(settings_random_.Next()),
        settings_(&settings_random_),
        universe_(cell.keys(), settings_.num_keys, &random_),
        model_(universe_),
        old_model_(universe_),
        database_(cell, settings_, policy) {}

  void Run() {
    const auto first = FirstExtractor(cell_.prefix());
    const auto later = LaterExtractor(cell_.prefix());
    if (!Do(database_.Open(first)) || !FillLevels()) return;
    Read("levels", first.get(), 30, nullptr);
    Read("levels", first.get(), 10, snapshot_);
    if (!Do(database_.CompactAll())) return;
    Read("compacted", first.get(), 15, nullptr);
    Read("compacted", first.get(), 5, snapshot_);
    database_.db()->ReleaseSnapshot(snapshot_);
    if (!Do(database_.Open(later))) return;
    Read("reopened", later.get(), 25, nullptr);
    if (!Write(25) || !Do(database_.Flush()) || !Write(10)) return;
    // A new file has the prefixes of the later extractor.
    const uint64_t gets = report_->by_gets.queries(), seeks = report_->by_seeks.queries();
    Read("mixed", later.get(), 5, nullptr);
    report_->later_gets = report_->by_gets.queries() - gets;
    report_->later_seeks = report_->by_seeks.queries() - seeks;
    if (!Do(database_.CompactAll())) return;
    Read("rewritten", later.get(), 10, nullptr);
  }

 private:
  // Keeps the first failure.
  bool Do(const std::string& failure) {
    if (report_->failure.empty()) report_->failure = failure;
    return failure.empty();
  }

  // The oldest data lies on the bottom; the newest in two files on level 0 and in memory.
  bool FillLevels() {
    for (int level = Database::kBottomLevel; level > 0; --level) {
      if (!Write(level == Database::kBottomLevel ? 60 : 25)) return false;
      if (!Do(database_.Flush()) || !Do(database_.MoveTo(level))) return false;
      if (level == 2) {
        snapshot_ = database_.db()->GetSnapshot();
        old_model_ = model_;
      }
    }
    for (int file = 0; file < 2; ++file) {
      if (!Write(15) || !Do(database_.Flush())) return false;
    }
    return Write(3);
  }

  // Writes or deletes so many percent of the keys that may be written.
  bool Write(size_t percent) {
    rocksdb::WriteOptions options;
    for (size_t i = 0; i < universe_.keys.size(); ++i) {
      if (!universe_.is_writable[i] || !random_.Percent(percent)) continue;
      const bool deletes = random_.Percent(15);
      model_.Set(i, deletes ? 0 : ++last_version_);
      const rocksdb::Status status =
          deletes ? database_.db()->Delete(options, universe_.keys[i])
                  : database_.db()->Put(options, universe_.keys[i], ValueOf(last_version_));
      if (!status.ok()) return Do("write: " + status.ToString());
    }
    return true;
  }

  void Read(const char* phase, const rocksdb::SliceTransform* extractor, uint64_t percent,
            const rocksdb::Snapshot* snapshot) {
    const View view{database_.db(), universe_, snapshot == nullptr ? model_ : old_model_, snapshot,
                    std::string(phase) + (snapshot == nullptr ? "" : "-snapshot")};
    const uint64_t gets = gets_ * percent / 100;
    ReadPoints(view, gets, &random_, report_);
    for (const Mode mode : kAllModes) {
      // Drawn for every mode, so that all cells with a seed have the same reads.
      Random random(random_.Next());
      if (!IsAllowed(mode, extractor, universe_)) continue;
      ReadRanges(view, extractor, mode, kMinSeeks + gets / kGetsPerSeek, &random, report_);
    }
  }

  const Cell& cell_;
  const uint64_t gets_;
  Report* const report_;
  Random settings_random_;
  Random random_;
  const Settings settings_;
  const Universe universe_;
  Model model_;
  Model old_model_;
  Version last_version_ = 0;
  Database database_;
  const rocksdb::Snapshot* snapshot_ = nullptr;
};

}  // namespace

Report RunCell(const Cell& cell, uint64_t gets, uint64_t seed, const Policy& policy) {
  rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  Report report;
  CellRun(cell, gets, seed, policy, &report).Run();
  return report;
}

}  // namespace bloomline::matrix
