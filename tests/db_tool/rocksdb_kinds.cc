#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/db_tool/kinds.h"
#include "tests/engines/rocksdb_open.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

void Check(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "RocksDB: %s\n", status.ToString().c_str());
  std::abort();
}

enum class Prefixes { kNone, kAndKeys, kOnly };

struct Setting {
  std::string filter;
  Policy policy;
  uint32_t format_version = 5;
  rocksdb::ChecksumType checksum = rocksdb::kXXH3;
  size_t partition_bytes = 0;  // 0: one filter for each table
  Prefixes prefixes = Prefixes::kNone;
  bool is_reversed = false;
  rocksdb::CompressionType compression = rocksdb::kNoCompression;
  bool has_tombstones = false;

  rocksdb::Options ToOptions() const {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy;
    table.format_version = format_version;
    table.checksum = checksum;
    table.block_size = 1024;
    table.whole_key_filtering = prefixes != Prefixes::kOnly;
    if (partition_bytes > 0) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = partition_bytes;
    }
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.write_buffer_size = 1 << 20;
    options.compression = compression;
    options.info_log_level = rocksdb::FATAL_LEVEL;
    // What the tombstones hide is in the last level, and has no filter.
    options.optimize_filters_for_hits = has_tombstones;
    if (is_reversed) options.comparator = rocksdb::ReverseBytewiseComparator();
    if (prefixes != Prefixes::kNone) {
      options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefixBytes));
    }
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    return options;
  }
};

void Write(const Setting& setting, const std::string& folder, const Keys& keys) {
  std::unique_ptr<rocksdb::DB> db;
  Check(OpenRocksDB(setting.ToOptions(), folder, &db));
  const std::string value(20, 'v');
  if (setting.has_tombstones) {
    for (const std::string& key : keys) Check(db->Put({}, key, value));
    Check(db->Flush({}));
    rocksdb::CompactRangeOptions last_level;
    last_level.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    last_level.change_level = true;
    last_level.target_level = 6;
    Check(db->CompactRange(last_level, nullptr, nullptr));
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    Check(setting.has_tombstones ? db->Delete({}, keys[i]) : db->Put({}, keys[i], value));
    if ((i + 1) % (keys.size() / kTables) == 0) Check(db->Flush({}));
  }
  Check(db->Flush({}));
}

// As tests/engines/rocksdb_open.h.
template <typename Database>
auto OpenToRead(const rocksdb::Options& options, const std::string& folder,
                std::unique_ptr<Database>* db, int)
    -> decltype(Database::OpenForReadOnly(options, folder, db)) {
  return Database::OpenForReadOnly(options, folder, db);
}
template <typename Database>
rocksdb::Status OpenToRead(const rocksdb::Options& options, const std::string& folder,
                           std::unique_ptr<Database>* db, long) {
  Database* opened = nullptr;
  const rocksdb::Status status = Database::OpenForReadOnly(options, folder, &opened);
  db->reset(opened);
  return status;
}
std::unique_ptr<rocksdb::DB> OpenToRead(const Setting& setting, const std::string& folder) {
  std::unique_ptr<rocksdb::DB> db;
  Check(OpenToRead(setting.ToOptions(), folder, &db, 0));
  return db;
}

Keys Lost(const Setting& setting, const std::string& folder, const Keys& keys) {
  const auto db = OpenToRead(setting, folder);
  Keys lost;
  std::string value;
  for (const std::string& key : keys) {
    const rocksdb::Status status = db->Get({}, key, &value);
    if (!status.IsNotFound()) Check(status);
    // A lost tombstone no longer hides the value below.
    if (status.IsNotFound() != setting.has_tombstones) lost.push_back(key);
  }
  return lost;
}

Keys PrefixesOf(const Keys& keys) {
  Keys prefixes;
  for (const std::string& key : keys) {
    const std::string prefix = key.substr(0, kPrefixBytes);
    if (prefixes.empty() || prefixes.back() != prefix) prefixes.push_back(prefix);
  }
  return prefixes;
}

// By iterators that begin at the keys: the keys of a prefix may be in several partitions.
Keys LostToIterators(const Setting& setting, const std::string& folder, const Keys& keys) {
  const auto db = OpenToRead(setting, folder);
  Keys lost;
  rocksdb::ReadOptions options;
  options.prefix_same_as_start = true;
  const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(options));
  for (const std::string& key : keys) {
    iterator->Seek(key);
    Check(iterator->status());
    if (!iterator->Valid() || iterator->key() != key) lost.push_back(key);
  }
  return lost;
}

Kind MakeKind(std::string name, int num_keys, const Setting& setting) {
  Kind kind;
  kind.name = std::move(name);
  kind.num_keys = num_keys;
  kind.write = [setting](const std::string& folder, const Keys& keys) {
    Write(setting, folder, keys);
  };
  if (setting.prefixes != Prefixes::kOnly) {
    kind.lost = [setting](const std::string& folder, const Keys& keys) {
      return Lost(setting, folder, keys);
    };
  }
  if (setting.prefixes != Prefixes::kNone) {
    kind.lost_prefixes = [setting](const std::string& folder, const Keys& keys) {
      return PrefixesOf(setting.prefixes == Prefixes::kOnly
                            ? Lost(setting, folder, keys)
                            : LostToIterators(setting, folder, keys));
    };
  }
  kind.is_compressed = setting.compression != rocksdb::kNoCompression;
  return kind;
}

Policy Bloomline(Format format, double bits_per_key, uint64_t seed = 0) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  options.seed = seed;
  return NewRocksDBFilterPolicy(options);
}

}  // namespace

std::vector<Kind> RocksDBKinds() {
  constexpr int kKeys = 4000;
  constexpr int kSmallSets = 400;
  const Policy bloom(rocksdb::NewBloomFilterPolicy(10));
  const Policy ribbon(rocksdb::NewRibbonFilterPolicy(10));
  std::vector<Setting> filters(5);
  filters[0].filter = "Blocked";
  filters[0].policy = Bloomline(Format::kBlocked, 10);
  filters[1].filter = "Compact";
  filters[1].policy = Bloomline(Format::kCompact, 8);
  filters[2].filter = "RocksDBBloom";
  filters[2].policy = bloom;
  filters[3].filter = "RocksDBRibbon";
  filters[3].policy = ribbon;
  filters[4].filter = "RocksDBLegacy";
  filters[4].policy = bloom;
  filters[4].format_version = 4;
  filters[4].checksum = rocksdb::kCRC32c;

  std::vector<Kind> kinds;
  for (const Setting& filter : filters) {
    kinds.push_back(MakeKind(filter.filter, kKeys, filter));
    kinds.push_back(MakeKind(filter.filter + "Small", kSmallSets, filter));
    Setting setting = filter;
    setting.partition_bytes = 512;
    kinds.push_back(MakeKind(filter.filter + "Partitioned", kKeys, setting));
    setting.prefixes = Prefixes::kAndKeys;
    kinds.push_back(MakeKind(filter.filter + "PartitionedPrefixes", kKeys, setting));
    setting.partition_bytes = 0;
    kinds.push_back(MakeKind(filter.filter + "Prefixes", kKeys, setting));
    setting.prefixes = Prefixes::kOnly;
    kinds.push_back(MakeKind(filter.filter + "OnlyPrefixes", kKeys, setting));
    setting.partition_bytes = 128;
    kinds.push_back(MakeKind(filter.filter + "PartitionedOnlyPrefixes", kKeys, setting));
  }
  for (const double bits_per_key : {3.0, 4.0, 6.0, 9.0, 12.0, 20.0}) {
    Setting setting;
    setting.policy = Bloomline(Format::kCompact, bits_per_key);
    kinds.push_back(MakeKind("Compact" + std::to_string(static_cast<int>(bits_per_key)) + "Bits",
                             kKeys, setting));
  }
  Setting setting;
  setting.policy = Bloomline(Format::kBlocked, 10, /*seed=*/12345);
  kinds.push_back(MakeKind("BlockedSeed", kKeys, setting));
  setting = filters[2];
  setting.partition_bytes = 512;
  setting.is_reversed = true;
  kinds.push_back(MakeKind("RocksDBBloomPartitionedReversed", kKeys, setting));
  setting = filters[0];
  setting.has_tombstones = true;
  kinds.push_back(MakeKind("BlockedTombstones", kKeys, setting));
  setting = filters[1];
  setting.partition_bytes = 512;
  setting.compression = rocksdb::kSnappyCompression;
  kinds.push_back(MakeKind("CompactPartitionedSnappy", kKeys, setting));
  setting = filters[0];
  setting.compression = rocksdb::kLZ4Compression;
  kinds.push_back(MakeKind("BlockedLZ4", kKeys, setting));
  setting.compression = rocksdb::kZSTD;
  kinds.push_back(MakeKind("BlockedZstd", kKeys, setting));
  setting.compression = rocksdb::kZlibCompression;
  kinds.push_back(MakeKind("BlockedZlib", kKeys, setting));
  return kinds;
}

}  // namespace bloomline::tests
