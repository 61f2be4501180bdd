#include "db_bench_ext/databases/disk_database.h"

#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/metadata.h"
#include "rocksdb/sst_file_writer.h"
#include "src/tool/quantity.h"

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
rocksdb::BlockBasedTableOptions TableOptions(const Policy& policy, bool is_partitioned,
                                             const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBPolicy(policy);
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  if (is_partitioned) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.pin_top_level_index_and_filter = true;
  }
  return table;
}

rocksdb::Options DatabaseOptions(bool reads_directly) {
  rocksdb::Options options;
  options.num_levels = kNumLevels + 1;
  // The default from RocksDB 8.4 on takes no files into a level above the first that is not empty.
  options.level_compaction_dynamic_level_bytes = false;
  options.disable_auto_compactions = true;
  options.use_direct_reads = reads_directly;
  options.use_direct_io_for_flush_and_compaction = true;
  options.compaction_readahead_size = 2 << 20;
  return options;
}

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

DiskDatabase::DiskDatabase(const Policy& policy, bool is_partitioned, const StoredKeys& stored,
                           const LevelFiles& files, const std::string& parent, bool reads_directly)
    : DiskDatabase(policy, is_partitioned, stored, files, parent, reads_directly,
                   NewCache(kCacheBytesWhileWriting)) {}

DiskDatabase::DiskDatabase(const Policy& policy, bool is_partitioned, const StoredKeys& stored,
                           const LevelFiles& files, const std::string& parent, bool reads_directly,
                           const std::shared_ptr<rocksdb::Cache>& cache)
    : RocksDBDatabase(DatabaseOptions(reads_directly), TableOptions(policy, is_partitioned, cache),
                      parent),
      stored_(stored),
      cache_(cache) {
  WriteLevels(files);
  Reopen();  // without the readers of files that are gone
  CheckLevels();
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
    const std::string link = path() + "/ingested";
    std::filesystem::create_hard_link(files.OfLevel(level), link);
    Check(db()->IngestExternalFile({link}, ingest));
    rocksdb::ColumnFamilyMetaData metadata;
    db()->GetColumnFamilyMetaData(&metadata);
    const auto& written = metadata.levels[static_cast<size_t>(level)].files;
    if (written.size() != 1) throw std::runtime_error("RocksDB ingested into another level");
    Check(db()->CompactFiles(compaction, {written[0].name}, level));
  }
}

void DiskDatabase::SetCacheBytes(uint64_t bytes) {
  cache_->SetCapacity(0);
  cache_->SetCapacity(bytes);
}

void DiskDatabase::ReadAll() {
  const std::unique_ptr<rocksdb::Iterator> iterator(db()->NewIterator({}));
  std::string value;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    // A Get also reads filters, each partition of which has the keys of many blocks.
    if (iterator->value()[0] % 16 == 0) Get(iterator->key().ToStringView(), &value);
  }
  Check(iterator->status());
}

void DiskDatabase::CheckLevels() const {
  const std::vector<FileSums> levels = SumsOfLevels(db());
  for (int level = 0; level <= kNumLevels; ++level) {
    const uint64_t keys = level == 0 ? 0 : stored_.NumbersOfLevel(level).size();
    const uint64_t found = levels[static_cast<size_t>(level)].num_keys;
    if (found != keys)
      throw std::runtime_error("RocksDB: level " + std::to_string(level) + " has " +
                               std::to_string(found) + " keys, not " + std::to_string(keys));
  }
}

void CheckIsOnDisk(const std::string& directory, uint64_t bytes) {
  struct statfs system;
  if (statfs(directory.c_str(), &system) != 0)
    throw NotHere(directory + ": " + std::strerror(errno));
  const auto type = static_cast<long>(system.f_type);
  if (type == kTmpfs || type == kRamfs)
    throw NotHere(directory + " is in memory; --db-dir needs a folder on a disk");
  const uint64_t free = system.f_bavail * static_cast<uint64_t>(system.f_bsize);
  if (free < bytes) {
    throw NotHere(directory + " has " + tool::BytesText(free) + " free; the databases take " +
                  tool::BytesText(bytes));
  }
  rocksdb::EnvOptions options;
  options.use_direct_writes = true;
  std::unique_ptr<rocksdb::WritableFile> file;
  const std::string path = directory + "/direct";
  const bool direct = rocksdb::Env::Default()->NewWritableFile(path, &file, options).ok();
  file.reset();
  unlink(path.c_str());
  if (!direct) throw NotHere("the file system of " + directory + " has no direct I/O");
}

}  // namespace bloomline::bench::disk
