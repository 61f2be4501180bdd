// Writes the databases of tests/db/db_tool_test, and prints what their engines say of them.
// Usage: make_databases FOLDER          a database in each subfolder; JSON on stdout
//        make_databases --busy FOLDER   rewrites FOLDER/rocksdb until stdin ends
#include "tests/db/make_databases.h"

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "bloomline/rocksdb_range_filter.h"
#include "src/filter/ranges/range_property.h"
#include "tests/engines/rocksdb_open.h"

namespace bloomline::tests {
namespace {

using rocksdb::BlockBasedTableOptions;

constexpr uint64_t kKeys = 60000;

// Stored keys have even numbers.
std::string DecimalKey(uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "user%012llu", static_cast<unsigned long long>(number));
  return text;
}

rocksdb::Options OptionsWith(const BlockBasedTableOptions& table) {
  rocksdb::Options options = WithTable(table);
  options.disable_auto_compactions = true;
  options.compression = rocksdb::kNoCompression;
  options.target_file_size_base = 1 << 20;
  options.max_bytes_for_level_base = 1 << 20;
  options.level_compaction_dynamic_level_bytes = false;  // the tests expect a file in level 1
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

using MakeKey = std::string (*)(uint64_t);

std::string EvenKey(uint64_t i) { return DecimalKey(2 * i); }

// On which the hash of old filters is weak.
std::string EvenDigits(uint64_t i) { return "0000" + DecimalKey(2 * i).substr(4); }

void Flush(rocksdb::DB* db, uint64_t first, uint64_t last, uint64_t step, MakeKey key = EvenKey) {
  for (uint64_t i = first; i < last; i += step) Check(db->Put({}, key(i), "a value"));
  Check(db->Flush({}));
}

// Level 6, or what is the last: all keys; level 0: two files with a quarter of them each.
void WriteLevels(rocksdb::DB* db, MakeKey key = EvenKey) {
  Flush(db, 0, kKeys, 1, key);
  Check(db->CompactRange({}, nullptr, nullptr));
  Flush(db, 0, kKeys, 4, key);
  Flush(db, 1, kKeys, 4, key);
}

Json Facts(rocksdb::DB* db) {
  rocksdb::TablePropertiesCollection tables;
  Check(db->GetPropertiesOfAllTables(&tables));
  Json files;
  for (const auto& [path, properties] : tables) {
    const auto& of_user = properties->user_collected_properties;
    const auto ranges = of_user.find(filter::kRangeProperty);
    files[path.substr(path.rfind('/') + 1)] = {
        {"entries", properties->num_entries},
        {"range_bytes", ranges == of_user.end() ? 0 : ranges->second.size()},
        {"filter_entries", properties->num_filter_entries},
        {"filter_size", properties->filter_size},
        {"data_size", properties->data_size}};
  }
  return {{"files", files}, {"keys", kKeys}};
}

// Gets of missing keys between the stored ones.
void GetMissing(rocksdb::DB* db, uint64_t gets) {
  std::string value;
  for (uint64_t i = 0; i < gets; ++i) {
    db->Get({}, DecimalKey(2 * (i * 7919 % kKeys) + 1), &value);
  }
}

void Make(const std::string& path, const BlockBasedTableOptions& table, Json* json,
          const std::function<void(rocksdb::Options*)>& change = nullptr) {
  rocksdb::Options options = OptionsWith(table);
  if (change) change(&options);
  const auto db = MustOpenRocksDB(options, path);
  WriteLevels(db.get());
  *json = Facts(db.get());
  constexpr uint64_t kGets = 30000;
  GetMissing(db.get(), kGets);
  std::ofstream(path + ".stats") << options.statistics->ToString();
  (*json)["gets"] = kGets;
  (*json)["useful"] = options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  (*json)["positive"] = options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
}

BlockBasedTableOptions TableWith(const rocksdb::FilterPolicy* policy) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(policy);
  return table;
}

// The second one has a name that does harm to a terminal, in tables, the MANIFEST and OPTIONS.
void MakeFamilies(const std::string& path) {
  BlockBasedTableOptions table = TableWith(rocksdb::NewRibbonFilterPolicy(10, -1));
  PartitionFilters(4096, &table);
  const rocksdb::Options options = OptionsWith(table);
  const auto db = MustOpenRocksDB(options, path);
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Check(db->CreateColumnFamily(options, kForgedName, &family));
  const std::unique_ptr<rocksdb::ColumnFamilyHandle> owned(family);
  constexpr uint64_t kFew = 10000;
  Flush(db.get(), 0, kFew, 1);
  for (uint64_t first : {0, 1}) {  // two runs, so that they need more bits than the default's one
    for (uint64_t i = first; i < kFew; i += 2) Check(db->Put({}, family, DecimalKey(2 * i), "v"));
    if (first == 0) Check(db->DeleteRange({}, family, DecimalKey(0), DecimalKey(3)));
    Check(db->Flush({}, family));
  }
}

// Filters of prefixes alone, and 100 keys that are too short to have one.
void MakeShortKeys(const std::string& path) {
  BlockBasedTableOptions table = TableWith(rocksdb::NewBloomFilterPolicy(10));
  table.whole_key_filtering = false;
  rocksdb::Options options = OptionsWith(table);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(8));
  const auto db = MustOpenRocksDB(options, path);
  for (int i = 0; i < 100; ++i) Check(db->Put({}, "k" + std::to_string(i), "v"));
  Flush(db.get(), 0, 100, 1);
}

// Shorter keys first, under the name that MyRocks' order has.
class ByLength : public rocksdb::Comparator {
 public:
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  const char* Name() const override { return "RocksDB_SE_v3.10"; }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// Numbers without gaps. `prefix_bytes`: filters of prefixes alone; 0: partitions, of keys.
void MakeByLength(const std::string& path, size_t prefix_bytes) {
  static const ByLength by_length;
  BlockBasedTableOptions table = TableWith(rocksdb::NewBloomFilterPolicy(10));
  if (prefix_bytes == 0) PartitionFilters(4096, &table);
  table.whole_key_filtering = prefix_bytes == 0;
  rocksdb::Options options = OptionsWith(table);
  options.comparator = &by_length;
  if (prefix_bytes != 0) {
    options.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(prefix_bytes));
  }
  const auto db = MustOpenRocksDB(options, path);
  Flush(db.get(), 0, kKeys, 1, [](uint64_t i) { return "key" + std::to_string(i); });
}

// Each third user has 20 posts.
std::string PostKey(uint64_t i) {
  constexpr uint64_t kPosts = 20;
  char key[48];
  std::snprintf(key, sizeof(key), "user:%05llu:post:%llu",
                static_cast<unsigned long long>(i / kPosts * 3),
                static_cast<unsigned long long>(10 + i % kPosts));
  return key;
}

// Range filters of a version that this program does not know.
class NewerCollector : public rocksdb::TablePropertiesCollector {
 public:
  rocksdb::Status AddUserKey(const rocksdb::Slice&, const rocksdb::Slice&, rocksdb::EntryType,
                             rocksdb::SequenceNumber, uint64_t) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override {
    (*properties)[filter::kRangeProperty] = "\xff of a newer version";
    return rocksdb::Status::OK();
  }
  const char* Name() const override { return "NewerCollector"; }
  rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }
};
class NewerCollectors : public rocksdb::TablePropertiesCollectorFactory {
 public:
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new NewerCollector;
  }
  const char* Name() const override { return "NewerCollectors"; }
};

void MakeRanges(const std::string& path, const rocksdb::FilterPolicy* policy,
                std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> ranges, Json* json) {
  rocksdb::Options options = OptionsWith(TableWith(policy));
  options.table_properties_collector_factories.push_back(std::move(ranges));
  const auto db = MustOpenRocksDB(options, path);
  WriteLevels(db.get(), PostKey);
  *json = Facts(db.get());
}

void MakeRocksDBs(const std::string& folder, Json* json) {
  Make(folder + "/rocksdb", TableWith(rocksdb::NewBloomFilterPolicy(10)), &(*json)["rocksdb"]);
  BlockBasedTableOptions table = TableWith(rocksdb::NewBloomFilterPolicy(10));
  table.whole_key_filtering = false;
  Make(folder + "/rocksdb_prefix", table, &(*json)["rocksdb_prefix"],
       [](rocksdb::Options* options) {
         options->prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(14));
       });
  // Filters that a test changes: without checksums, which format version 6 would compare all the
  // same.
  table = TableWith(rocksdb::NewBloomFilterPolicy(10));
  table.checksum = rocksdb::kNoChecksum;
  table.format_version = 5;
  Make(folder + "/rocksdb_planted", table, &(*json)["rocksdb_planted"]);
  table = {};
  table.filter_policy = NewRocksDBFilterPolicy(FilterOptions());
  Make(folder + "/rocksdb_bloomline", table, &(*json)["rocksdb_bloomline"]);
  // From now on with RocksDB's own.
  MustOpenRocksDB(OptionsWith(TableWith(rocksdb::NewBloomFilterPolicy(10))),
                  folder + "/rocksdb_bloomline");
  table.filter_policy = NewRocksDBFilterPolicy(FilterOptions());
  MustOpenRocksDB(OptionsWith(table), folder + "/rocksdb_default");
  MakeRanges(folder + "/rocksdb_ranges", rocksdb::NewBloomFilterPolicy(10), NewRangeFilter(),
             &(*json)["rocksdb_ranges"]);
  RangeFilterOptions listed;
  listed.prefixes = "11:after0x3a@1";
  MakeRanges(folder + "/rocksdb_ranges_alone", nullptr, NewRangeFilter(listed),
             &(*json)["rocksdb_ranges_alone"]);
  MakeRanges(folder + "/rocksdb_ranges_newer", rocksdb::NewBloomFilterPolicy(10),
             std::make_shared<NewerCollectors>(), &(*json)["rocksdb_ranges_newer"]);
  table = TableWith(rocksdb::NewBloomFilterPolicy(10));
  table.format_version = 4;
  WriteLevels(MustOpenRocksDB(OptionsWith(table), folder + "/rocksdb_legacy").get(), EvenDigits);
  MakeShortKeys(folder + "/rocksdb_short_keys");
  MakeByLength(folder + "/rocksdb_by_length", 0);
  MakeByLength(folder + "/rocksdb_by_length_prefix", 7);
  MakeFamilies(folder + "/rocksdb_families");
}

void RewriteRocksDB(const std::string& path) {
  const auto db = MustOpenRocksDB(OptionsWith(TableWith(rocksdb::NewBloomFilterPolicy(10))), path);
  std::string line;
  // A line on stdin for each compaction.
  while (std::getline(std::cin, line)) {
    Flush(db.get(), 0, kKeys, 4);
    Check(CompactAll(db.get()));
    std::cout << "compacted" << std::endl;
  }
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  using bloomline::tests::Json;
  if (argc == 3 && std::strcmp(argv[1], "--busy") == 0) {
    bloomline::tests::RewriteRocksDB(std::string(argv[2]) + "/rocksdb");
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "--open") == 0) {
    bloomline::tests::HoldLevelDB(argv[2]);
    return 0;
  }
  if (argc != 2) {
    std::fputs("usage: make_databases [--busy|--open] FOLDER\n", stderr);
    return 2;
  }
  Json json;
  bloomline::tests::MakeRocksDBs(argv[1], &json);
  bloomline::tests::MakeLevelDBs(argv[1], &json);
  std::cout << json.dump() << '\n';
  return 0;
}
