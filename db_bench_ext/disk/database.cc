#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "db_bench_ext/disk/disk.h"
#include "rocksdb/env.h"
#include "rocksdb/metadata.h"
#include "rocksdb/sst_file_writer.h"
#include "src/cli/shared/quantity.h"

#if __has_include("rocksdb/advanced_cache.h")
#include "rocksdb/advanced_cache.h"  // class Cache, from RocksDB 8.0 on
#endif

namespace bloomline::bench::disk {
namespace {

constexpr uint64_t kFileBytes = uint64_t{64} << 20;  // RocksDB's default for level 1
constexpr uint64_t kCacheBytesWhileWriting = uint64_t{8} << 20;

// One shard: a filter of 700 KiB would not fit into a shard of a small cache, and so would never be
// cached.
std::shared_ptr<rocksdb::Cache> NewCache(uint64_t bytes) {
  rocksdb::LRUCacheOptions options;
  options.capacity = bytes;
  options.num_shard_bits = 0;
  return rocksdb::NewLRUCache(options);
}

// Filters and indexes are in the cache with high priority, RocksDB's default. Nothing is pinned but
// the top levels of partitioned filters and indexes, which is the default, too.
rocksdb::BlockBasedTableOptions TableOptions(const Policy& policy, const Layout& layout,
                                             const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBPolicy(policy);
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  if (layout.is_partitioned) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = policy.HasFilter();
    table.pin_top_level_index_and_filter = true;
  }
  return table;
}

constexpr size_t kReadBytes = 4096;
constexpr int kNumReads = 500;
// From linux/magic.h, which has only one of them by this name.
constexpr long kTmpfs = 0x01021994;
constexpr long kRamfs = 0x858458f6;

}  // namespace

LevelFiles::LevelFiles(const StoredKeys& stored, const std::string& directory) {
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  for (int level = 1; level <= kNumLevels; ++level) {
    std::string& path = paths_[static_cast<size_t>(level - 1)];
    path = directory + "/level" + std::to_string(level);
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    Check(writer.Open(path));
    for (const uint64_t number : stored.NumbersOfLevel(level)) {
      const Key key = KeyOf(number);
      const Value value = ValueOf(number);
      Check(writer.Put(rocksdb::Slice(key.data(), key.size()),
                       rocksdb::Slice(value.data(), value.size())));
    }
    Check(writer.Finish());
  }
}

DiskDatabase::DiskDatabase(const Policy& policy, const Layout& layout, const StoredKeys& stored,
                           const LevelFiles& files, const std::string& parent)
    : directory_(parent), cache_(NewCache(kCacheBytesWhileWriting)) {
  for (int level = 1; level <= kNumLevels; ++level)
    keys_of_level_[static_cast<size_t>(level - 1)] = stored.NumbersOfLevel(level).size();
  options_.create_if_missing = true;
  options_.num_levels = kNumLevels + 1;
  // The default from RocksDB 8.4 on takes no files into a level above the first that is not empty.
  options_.level_compaction_dynamic_level_bytes = false;
  options_.compression = rocksdb::kNoCompression;
  options_.disable_auto_compactions = true;
  options_.use_direct_reads = true;
  options_.use_direct_io_for_flush_and_compaction = true;
  options_.compaction_readahead_size = 2 << 20;
  options_.max_open_files = -1;  // every table is opened with the database
  options_.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(TableOptions(policy, layout, cache_)));
  db_ = OpenRocksDB(options_, directory_.path());
  WriteLevels(files);
  db_.reset();  // the readers of files that are gone
  db_ = OpenRocksDB(options_, directory_.path());
  CheckLevels();
  summary_ = Summarize();
}

// A file whose keys overlap with a level is ingested above it: the last level comes first. Ingested
// files have no filter. The compaction of a level into itself writes its final files.
void DiskDatabase::WriteLevels(const LevelFiles& files) {
  rocksdb::IngestExternalFileOptions ingest;
  ingest.move_files = true;
  ingest.snapshot_consistency = false;
  ingest.write_global_seqno = false;  // the file is shared by all databases
  rocksdb::CompactionOptions compaction;
  compaction.compression = rocksdb::kNoCompression;
  compaction.output_file_size_limit = kFileBytes;
  for (int level = kNumLevels; level >= 1; --level) {
    const std::string link = directory_.path() + "/ingested";
    std::filesystem::create_hard_link(files.OfLevel(level), link);
    Check(db_->IngestExternalFile({link}, ingest));
    rocksdb::ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    const auto& written = metadata.levels[static_cast<size_t>(level)].files;
    if (written.size() != 1) throw std::runtime_error("RocksDB ingested into another level");
    Check(db_->CompactFiles(compaction, {written[0].name}, level));
  }
}

DatabaseSummary DiskDatabase::Summarize() const {
  DatabaseSummary summary;
  summary.levels = SumsOfLevels(db_.get());
  if (summary.levels.front().num_files > 0) throw std::runtime_error("RocksDB: files in level 0");
  summary.levels.erase(summary.levels.begin());
  for (const FileSums& level : summary.levels) summary.all.Add(level);
  return summary;
}

void DiskDatabase::SetCacheBytes(uint64_t bytes) {
  cache_->SetCapacity(0);
  cache_->SetCapacity(bytes);
}

bool DiskDatabase::Get(const Key& key, rocksdb::PinnableSlice* value) const {
  value->Reset();
  const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), db_->DefaultColumnFamily(),
                                          rocksdb::Slice(key.data(), key.size()), value);
  if (status.IsNotFound()) return false;
  Check(status);
  return true;
}

void DiskDatabase::CheckLevels() const {
  const DatabaseSummary now = Summarize();
  for (size_t i = 0; i < kNumLevels; ++i) {
    if (now.levels[i].num_keys != keys_of_level_[i])
      throw std::runtime_error("RocksDB: level " + std::to_string(i + 1) + " has " +
                               std::to_string(now.levels[i].num_keys) + " keys, not " +
                               std::to_string(keys_of_level_[i]));
  }
}

std::string WhyNotOnDisk(const std::string& directory, uint64_t bytes) {
  struct statfs system;
  if (statfs(directory.c_str(), &system) != 0) return directory + ": " + std::strerror(errno);
  const auto type = static_cast<long>(system.f_type);
  if (type == kTmpfs || type == kRamfs)
    return directory + " is in memory; --db-dir needs a folder on a disk";
  const uint64_t free = system.f_bavail * static_cast<uint64_t>(system.f_bsize);
  if (free < bytes)
    return directory + " has " + cli::BytesText(free) + " free; the databases take " +
           cli::BytesText(bytes);
  rocksdb::EnvOptions options;
  options.use_direct_writes = true;
  std::unique_ptr<rocksdb::WritableFile> file;
  const std::string path = directory + "/direct";
  const bool direct = rocksdb::Env::Default()->NewWritableFile(path, &file, options).ok();
  file.reset();
  unlink(path.c_str());
  return direct ? "" : "the file system of " + directory + " has no direct I/O";
}

double MedianDirectReadUs(const std::string& path) {
  rocksdb::EnvOptions options;
  options.use_direct_reads = true;
  options.use_mmap_reads = false;
  std::unique_ptr<rocksdb::RandomAccessFile> file;
  Check(rocksdb::Env::Default()->NewRandomAccessFile(path, &file, options));
  const std::unique_ptr<char, decltype(&std::free)> buffer(
      static_cast<char*>(std::aligned_alloc(kReadBytes, kReadBytes)), &std::free);
  const uint64_t num_blocks = std::filesystem::file_size(path) / kReadBytes;
  std::vector<double> us;
  for (uint64_t i = 0; i < kNumReads && num_blocks > 0; ++i) {
    rocksdb::Slice read;
    us.push_back(
        1e6 * SecondsOf([&] {
          Check(file->Read(Mix(i) % num_blocks * kReadBytes, kReadBytes, &read, buffer.get()));
        }));
  }
  return Median(us);
}

}  // namespace bloomline::bench::disk
