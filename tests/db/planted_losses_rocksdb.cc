#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "bloomline/rocksdb_range_filter.h"
#include "src/filter/ranges/range_property.h"
#include "tests/db/planted_losses.h"
#include "tests/engines/forwarding_policy.h"
#include "tests/engines/rocksdb_open.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

class DamagedBuilder : public ForwardingBuilder {
 public:
  DamagedBuilder(rocksdb::FilterBitsBuilder* builder, uint64_t seed)
      : ForwardingBuilder(builder), random_(seed) {}
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    const Slice filter = ForwardingBuilder::Finish(buf, status);
    if (filter.size() > kTrailerBytes) {
      DamageBits(const_cast<char*>(filter.data()), filter.size() - kTrailerBytes, &random_);
    }
    return filter;
  }

 private:
  static constexpr size_t kTrailerBytes = 20;  // and fewer in RocksDB's own filters
  std::mt19937_64 random_;
};

class DamagingPolicy : public ForwardingPolicy {
 public:
  DamagingPolicy(Policy policy, uint64_t seed)
      : ForwardingPolicy(std::move(policy)), seed_(1000 * seed) {}
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    rocksdb::FilterBitsBuilder* const builder = ForwardingPolicy::GetBuilderWithContext(context);
    return builder == nullptr ? nullptr : new DamagedBuilder(builder, ++seed_);
  }

 private:
  mutable uint64_t seed_;
};

// Which bytes of a range filter are damaged.
enum class RangeDamage { kEntries, kLastKey };

void DamageRanges(RangeDamage damage, const std::string& last_key, std::mt19937_64* random,
                  std::string* value) {
  if (damage == RangeDamage::kEntries) {
    constexpr size_t kHeadBytes = 128;
    constexpr size_t kTrailerBytes = 64;
    const size_t others = kHeadBytes + kTrailerBytes;
    if (value->size() > others) {
      DamageBits(value->data() + kHeadBytes, value->size() - others, random);
    }
  } else if ((*random)() % 2 == 0) {
    // A lower digit.
    char& digit = (*value)[value->find(last_key) + last_key.size() - 2];
    digit = static_cast<char>(digit - (digit > '0' ? 1 : 0));
  }
}

class DamagedCollector : public rocksdb::TablePropertiesCollector {
 public:
  DamagedCollector(rocksdb::TablePropertiesCollector* whole, RangeDamage damage, uint64_t seed)
      : whole_(whole), damage_(damage), seed_(seed) {}
  rocksdb::Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice& value,
                             rocksdb::EntryType type, rocksdb::SequenceNumber sequence,
                             uint64_t bytes) override {
    last_key_ = key.ToString();
    return whole_->AddUserKey(key, value, type, sequence, bytes);
  }
  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override {
    const rocksdb::Status status = whole_->Finish(properties);
    std::mt19937_64 random(seed_);  // RocksDB 7.8 calls this twice
    DamageRanges(damage_, last_key_, &random, &(*properties)[filter::kRangeProperty]);
    return status;
  }
  const char* Name() const override { return whole_->Name(); }
  rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }

 private:
  const std::unique_ptr<rocksdb::TablePropertiesCollector> whole_;
  const RangeDamage damage_;
  const uint64_t seed_;
  std::string last_key_;
};

class DamagingRanges : public rocksdb::TablePropertiesCollectorFactory {
 public:
  DamagingRanges(std::shared_ptr<RangeFilter> whole, RangeDamage damage, uint64_t seed)
      : whole_(std::move(whole)), damage_(damage), seed_(1000 * seed) {}
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override {
    return new DamagedCollector(whole_->CreateTablePropertiesCollector(context), damage_, ++seed_);
  }
  const char* Name() const override { return "DamagingRanges"; }

 private:
  const std::shared_ptr<RangeFilter> whole_;
  const RangeDamage damage_;
  uint64_t seed_;
};

enum class Prefixes { kNone, kAndKeys, kOnly };

constexpr size_t kBlockBytes = 1024;

struct Setting {
  Policy policy;
  uint32_t format_version = 5;
  rocksdb::ChecksumType checksum = rocksdb::kXXH3;
  size_t partition_bytes = 0;  // 0: one filter for each table
  Prefixes prefixes = Prefixes::kNone;
  bool is_reversed = false;
  bool has_tombstones = false;
  std::shared_ptr<RangeFilter> ranges;
  std::vector<size_t> range_bytes;  // the first bytes of keys for which `ranges` has entries
  RangeDamage range_damage = RangeDamage::kEntries;

  rocksdb::Options ToOptions(uint64_t seed = 0) const {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy;
    if (policy != nullptr && seed != 0) {
      table.filter_policy = std::make_shared<DamagingPolicy>(policy, seed);
    }
    table.block_restart_interval = 1;
    table.format_version = format_version;
    table.checksum = checksum;
    table.block_size = kBlockBytes;
    table.whole_key_filtering = prefixes != Prefixes::kOnly;
    if (partition_bytes > 0) PartitionFilters(partition_bytes, &table);
    rocksdb::Options options = WithTable(table);
    options.disable_auto_compactions = true;
    options.write_buffer_size = 1 << 20;
    options.compression = rocksdb::kNoCompression;
    options.info_log_level = rocksdb::FATAL_LEVEL;
    // What the tombstones hide is in the last level, and has no filter.
    options.optimize_filters_for_hits = has_tombstones;
    if (is_reversed) options.comparator = rocksdb::ReverseBytewiseComparator();
    if (ranges != nullptr) {
      std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> factory = ranges;
      if (seed != 0) factory = std::make_shared<DamagingRanges>(ranges, range_damage, seed);
      options.table_properties_collector_factories.push_back(factory);
    }
    if (prefixes != Prefixes::kNone) {
      options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefixBytes));
    }
    return options;
  }
};

void Write(const Setting& setting, const std::string& folder, const Keys& keys, uint64_t seed) {
  const auto db = MustOpenRocksDB(setting.ToOptions(seed), folder);
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

Keys Lost(const Setting& setting, const std::string& folder, const Keys& keys) {
  const auto db = MustOpenRocksDB(setting.ToOptions(), folder);
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
  const auto db = MustOpenRocksDB(setting.ToOptions(), folder);
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

// The range of a key alone, the one behind the key before it in the table, and those of all keys
// with its first bytes.
Keys LostToRanges(const Setting& setting, const std::string& folder, const Keys& keys) {
  const auto db = MustOpenRocksDB(setting.ToOptions(), folder);
  Keys lost;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string& key = keys[i];
    const bool is_first = i % (keys.size() / kTables) == 0;
    std::vector<RangeScan::Range> ranges = {{key, key + '\0'},
                                            {(is_first ? "" : keys[i - 1]) + '\0', key + '\0'}};
    for (const size_t bytes : setting.range_bytes) {
      const std::string begin = key.substr(0, bytes);
      ranges.push_back({begin, begin});
      ++ranges.back().upper.back();  // no byte of theirs is the greatest
    }
    const bool is_found = std::all_of(ranges.begin(), ranges.end(), [&](const auto& range) {
      const RangeScan scan(setting.ranges, range.lower, range.upper);
      rocksdb::ReadOptions options;
      scan.Apply(&options);
      const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(options));
      for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
        if (iterator->key() == key) return true;
      }
      Check(iterator->status());
      return false;
    });
    if (!is_found) lost.push_back(key);
  }
  return lost;
}

Kind MakeKind(std::string name, int num_keys, const Setting& setting) {
  const auto write = [setting](const std::string& folder, const Keys& keys, uint64_t seed) {
    Write(setting, folder, keys, seed);
  };
  Kind kind{std::move(name), num_keys, write, {}, kBlockBytes};
  const auto with_setting = [&](auto lost) {
    return [=](const std::string& folder, const Keys& keys) { return lost(setting, folder, keys); };
  };
  const bool has_keys = setting.policy != nullptr && setting.prefixes != Prefixes::kOnly;
  if (setting.ranges != nullptr) kind.lost[Loss::kRange] = with_setting(LostToRanges);
  if (has_keys) kind.lost[Loss::kKey] = with_setting(Lost);
  if (setting.prefixes != Prefixes::kNone) {
    kind.lost[Loss::kPrefix] =
        with_setting([](const Setting& s, const auto& folder, const Keys& keys) {
          return PrefixesOf(s.prefixes == Prefixes::kOnly ? Lost(s, folder, keys)
                                                          : LostToIterators(s, folder, keys));
        });
  }
  return kind;
}

Policy Bloomline(Format format, double bits_per_key, uint64_t seed = 0) {
  return NewRocksDBFilterPolicy(FilterOptions{format, bits_per_key, seed});
}

}  // namespace

// Layouts of filters, and ways to store them: each with some of the others.
std::vector<Kind> RocksDBKinds() {
  constexpr int kSmallSets = 400;
  std::vector<Kind> kinds;
  const auto add = [&](const char* name, Policy policy, auto change, int num_keys = 4000) {
    Setting setting;
    setting.policy = std::move(policy);
    change(&setting);
    kinds.push_back(MakeKind(name, num_keys, setting));
  };
  const auto plain = [](Setting*) {};
  const auto partitioned = [](Setting* s) { s->partition_bytes = 512; };
  const auto legacy = [](Setting* s) {
    s->format_version = 4;
    s->checksum = rocksdb::kCRC32c;
  };
  const Policy blocked = Bloomline(Format::kBlocked, 10);
  const Policy bloom(rocksdb::NewBloomFilterPolicy(10));
  const Policy ribbon(rocksdb::NewRibbonFilterPolicy(10));

  add("Blocked", blocked, plain);
  add("BlockedSmall", blocked, plain, kSmallSets);
  add("BlockedSeed", Bloomline(Format::kBlocked, 10, /*seed=*/12345), plain);
  add("BlockedPartitionedPrefixes", blocked, [](Setting* s) {
    s->partition_bytes = 512;
    s->prefixes = Prefixes::kAndKeys;
  });
  add("BlockedTombstones", blocked, [](Setting* s) { s->has_tombstones = true; });
  add("BlockedOnlyPrefixes", blocked, [](Setting* s) { s->prefixes = Prefixes::kOnly; });
  const auto add_ranges = [&](const char* name, Policy policy, const RangeFilterOptions& options,
                              const std::vector<size_t>& bytes, RangeDamage damage,
                              int num_keys = 4000) {
    const auto change = [&](Setting* s) {
      s->ranges = NewRangeFilter(options);
      s->range_bytes = bytes;
      s->range_damage = damage;
    };
    add(name, std::move(policy), change, num_keys);
  };
  RangeFilterOptions ranges;
  // A query of one key looks up only some of so many cells.
  ranges.prefixes = "7:8:10:11:12:13:14";
  add_ranges("RibbonRanges", blocked, ranges, {7, 8, 10, 11, 12, 13, 14}, RangeDamage::kEntries);
  ranges.format = Format::kBlocked;
  ranges.prefixes = "7:8:14";
  add_ranges("OnlyBlockedRanges", nullptr, ranges, {7, 8, 14}, RangeDamage::kEntries);
  ranges.prefixes = "after0x2f";
  add_ranges("LastKeysOfRanges", nullptr, ranges, {kPrefixBytes + 1}, RangeDamage::kLastKey);
  // With fewer prefixes, a filter has no byte that is neither at its head nor in its trailer.
  add_ranges("DelimitedRanges", bloom, ranges, {9, 11, 13, 15, 17}, RangeDamage::kEntries, 16000);
  add("RocksDBBloom", bloom, plain);
  add("RocksDBBloomPartitionedReversed", bloom, [](Setting* s) {
    s->partition_bytes = 512;
    s->is_reversed = true;
  });
  add("RocksDBBloomPartitionedOnlyPrefixes", bloom, [](Setting* s) {
    s->partition_bytes = 128;
    s->prefixes = Prefixes::kOnly;
  });
  add("RocksDBRibbon", ribbon, plain);
  add("RocksDBRibbonPartitioned", ribbon, partitioned);
  add("RocksDBRibbonPrefixes", ribbon, [](Setting* s) { s->prefixes = Prefixes::kAndKeys; });
  add("RocksDBLegacy", bloom, legacy);
  return kinds;
}

}  // namespace bloomline::tests
