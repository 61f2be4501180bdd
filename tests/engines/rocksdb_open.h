// Opens a database of any version of RocksDB; options that many tests set; and what a database has
// and counts.
#ifndef BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_
#define BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bloomline::tests {

// RocksDB opens into a plain pointer until version 10, into a unique_ptr from 11 on; the last
// versions of 10 take both. open(db) is called with the address of one of them.
template <typename Open>
auto OpenAny(Open open, std::unique_ptr<rocksdb::DB>* db, int) -> decltype(open(db)) {
  return open(db);
}
template <typename Open>
rocksdb::Status OpenAny(Open open, std::unique_ptr<rocksdb::DB>* db, long) {
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = open(&opened);
  db->reset(opened);
  return status;
}

inline rocksdb::Status OpenRocksDB(const rocksdb::Options& options, const std::string& path,
                                   std::unique_ptr<rocksdb::DB>* db) {
  const auto open = [&](auto* opened) -> decltype(rocksdb::DB::Open(options, path, opened)) {
    return rocksdb::DB::Open(options, path, opened);
  };
  return OpenAny(open, db, 0);  // an int prefers the first
}

// As loaded from an OPTIONS file: the families with their options.
inline rocksdb::Status OpenRocksDB(const rocksdb::DBOptions& options, const std::string& path,
                                   const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                                   std::vector<rocksdb::ColumnFamilyHandle*>* handles,
                                   std::unique_ptr<rocksdb::DB>* db) {
  const auto open =
      [&](auto* opened) -> decltype(rocksdb::DB::Open(options, path, families, handles, opened)) {
    return rocksdb::DB::Open(options, path, families, handles, opened);
  };
  return OpenAny(open, db, 0);
}

inline rocksdb::Status OpenRocksDBReadOnly(const rocksdb::Options& options, const std::string& path,
                                           std::unique_ptr<rocksdb::DB>* db) {
  const auto open =
      [&](auto* opened) -> decltype(rocksdb::DB::OpenForReadOnly(options, path, opened)) {
    return rocksdb::DB::OpenForReadOnly(options, path, opened);
  };
  return OpenAny(open, db, 0);
}

inline rocksdb::Status OpenRocksDBSecondary(const rocksdb::Options& options,
                                            const std::string& path, const std::string& log_path,
                                            std::unique_ptr<rocksdb::DB>* db) {
  const auto open =
      [&](auto* opened) -> decltype(rocksdb::DB::OpenAsSecondary(options, path, log_path, opened)) {
    return rocksdb::DB::OpenAsSecondary(options, path, log_path, opened);
  };
  return OpenAny(open, db, 0);
}

// The program ends if the database cannot be opened.
inline std::unique_ptr<rocksdb::DB> MustOpenRocksDB(const rocksdb::Options& options,
                                                    const std::string& path) {
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status status = OpenRocksDB(options, path, &db);
  if (status.ok()) return db;
  std::fprintf(stderr, "%s: %s\n", path.c_str(), status.ToString().c_str());
  std::abort();
}

// Options of a new database.
inline rocksdb::Options WithTable(const rocksdb::BlockBasedTableOptions& table) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}
inline rocksdb::Options WithPolicy(std::shared_ptr<const rocksdb::FilterPolicy> policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  return WithTable(table);
}

inline void PartitionFilters(uint64_t metadata_block_size, rocksdb::BlockBasedTableOptions* table) {
  table->partition_filters = true;
  table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table->metadata_block_size = metadata_block_size;
}

// Bytewise, with a timestamp of 8 bytes behind each key, the newest first. Null if this RocksDB has
// none.
inline const rocksdb::Comparator* TimestampComparator() {
  const rocksdb::Comparator* comparator = nullptr;
  rocksdb::Comparator::CreateFromString({}, "leveldb.BytewiseComparator.u64ts", &comparator)
      .PermitUncheckedError();
  return comparator;
}

inline rocksdb::Status CompactAll(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                  rocksdb::BottommostLevelCompaction bottommost) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = bottommost;
  return db->CompactRange(options, family == nullptr ? db->DefaultColumnFamily() : family, nullptr,
                          nullptr);
}

// Rewrites all files, into one level, and those in the last level for it.
inline rocksdb::Status CompactAll(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family = nullptr) {
  return CompactAll(db, family, rocksdb::BottommostLevelCompaction::kForce);
}

// The same with less I/O, as docs/operating.md says. But a file that it writes for an upper level,
// and then moves to the last one, keeps the bits of the former.
inline rocksdb::Status GiveNewFilters(rocksdb::DB* db,
                                      rocksdb::ColumnFamilyHandle* family = nullptr) {
  return CompactAll(db, family, rocksdb::BottommostLevelCompaction::kForceOptimized);
}

// Rewrites each file of the default column family in its level, from the deepest level up, because
// bits by level follow from the filters of deeper levels. No two files of a level may share a user
// key, and no other compaction may run.
inline rocksdb::Status CompactInPlace(rocksdb::DB* db) {
  rocksdb::CompactionOptions options;
  // Before 9.2 the default is Snappy, even if the column family has another compression.
  options.compression = rocksdb::kDisableCompressionOption;
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& a, const auto& b) { return a.level > b.level; });
  for (const auto& file : files) {
    const rocksdb::Status status = db->CompactFiles(options, {file.name}, file.level);
    if (!status.ok()) return status;
  }
  return rocksdb::Status::OK();
}

// The tables of each level, in a database of one column family.
inline std::multimap<int, std::shared_ptr<const rocksdb::TableProperties>> TablesByLevel(
    rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  rocksdb::TablePropertiesCollection tables;
  db->GetPropertiesOfAllTables(&tables).PermitUncheckedError();
  std::multimap<int, std::shared_ptr<const rocksdb::TableProperties>> by_level;
  for (const auto& file : files) {
    const auto table = tables.find(file.db_path + file.name);
    if (table != tables.end()) by_level.emplace(file.level, table->second);
  }
  return by_level;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_ROCKSDB_OPEN_H_
