// What src/db/directory/filter_names.h says, against what the engines do: each policy reads
// tables of each writer.
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "bloomline/rocksdb.h"
#include "src/db/directory/database.h"
#include "src/db/directory/filter_names.h"
#include "src/db/sstable/table.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::directory {
namespace {

using tests::TempDir;

constexpr int kKeys = 400;

// Random looking: LevelDB's own filter does not match most of the odd ones.
std::string Key(int i) {
  char key[24];
  std::snprintf(key, sizeof(key), "%08x", static_cast<unsigned>(i) * 2654435761u);
  return key;
}

std::string OneTable(const std::string& folder) {
  std::vector<Database> databases;
  std::string error;
  EXPECT_TRUE(OpenInput(folder, &databases, &error)) << error;
  if (databases.empty() || databases[0].files.size() != 1) {
    ADD_FAILURE() << folder << " has not one table";
    return "";
  }
  return databases[0].files[0].path;
}

// What the tool would know of the table.
FilterBlock BlockOf(const sstable::Table& table, bool is_bloomline) {
  FilterBlock block;
  block.engine = table.engine();
  block.kind = table.filter_kind();
  block.name = table.filter_name();
  block.is_bloomline = is_bloomline;
  return block;
}

rocksdb::Options RocksDBOptions(const std::string& policy) {
  rocksdb::ConfigOptions config;
  rocksdb::BlockBasedTableOptions table, parsed;
  EXPECT_TRUE(rocksdb::GetBlockBasedTableOptionsFromString(config, table, "filter_policy=" + policy,
                                                           &parsed)
                  .ok());
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(parsed));
  return options;
}

PolicyUse UseByRocksDB(const std::string& path, const std::string& policy) {
  rocksdb::Options options = RocksDBOptions(policy);
  options.statistics = rocksdb::CreateDBStatistics();
  std::unique_ptr<rocksdb::DB> db;
  EXPECT_TRUE(tests::OpenRocksDB(options, path, &db).ok());
  if (db == nullptr) return PolicyUse::kUnknown;
  std::string value;
  for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(db->Get({}, Key(2 * i), &value).ok());
  EXPECT_EQ(options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL), 0u);
  const uint64_t before = options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
  for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(db->Get({}, Key(2 * i + 1), &value).IsNotFound());
  if (options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) > 0) return PolicyUse::kUsed;
  return before > 0 ? PolicyUse::kMayMatch : PolicyUse::kIgnored;
}

TEST(FilterNames, RocksDBsPoliciesReadEachOthersFilters) {
  ASSERT_TRUE(RegisterBloomline());
  std::string error;
  struct Writer {
    std::string policy;
    bool is_bloomline;
  };
  const Writer writers[] = {
      {"bloomfilter:10:false", false},
      {"ribbonfilter:10", false},
      {"rocksdb.internal.LegacyBloomFilter:10", false},
      {"bloomline:10", true},
      {"{id=bloomline;format=compact}", true},
      {"nullptr", false},
  };
  const std::string readers[] = {
      "nullptr",
      "bloomfilter:10:false",
      "rocksdb.BloomFilter:8",
      "{id=ribbonfilter:10;bloom_before_level=0;}",
      "rocksdb.internal.Standard128RibbonFilter:9.5",
      "rocksdb.BuiltinBloomFilter",
      "bloomline",
      "{id=bloomline;bits_per_key=7;format=compact}",
  };
  int used = 0;
  for (const Writer& writer : writers) {
    const TempDir dir;
    {
      rocksdb::Options options = RocksDBOptions(writer.policy);
      std::unique_ptr<rocksdb::DB> db;
      ASSERT_TRUE(tests::OpenRocksDB(options, dir.Path("db"), &db).ok());
      for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Put({}, Key(2 * i), "value").ok());
      ASSERT_TRUE(db->Flush({}).ok());
    }
    const auto table = sstable::Table::Open(OneTable(dir.Path("db")), {}, &error);
    ASSERT_NE(table, nullptr) << error;
    const FilterBlock block = BlockOf(*table, writer.is_bloomline);
    for (const std::string& reader : readers) {
      const PolicyUse real = UseByRocksDB(dir.Path("db"), reader);
      const PolicyUse said = UseOf(reader, block);
      used += real == PolicyUse::kUsed;
      EXPECT_EQ(said, real) << reader << " reads " << writer.policy;
    }
  }
  EXPECT_GT(used, 20);
}

// The policy is in OPTIONS as RocksDB writes it.
TEST(FilterNames, PoliciesInOptionsFiles) {
  ASSERT_TRUE(RegisterBloomline());
  for (const std::string& policy :
       std::vector<std::string>{"bloomfilter:10:false", "ribbonfilter:9.5:2",
                                "{id=bloomline;bits_per_key=7;bits_by_level=20:10:5}"}) {
    const TempDir dir;
    {
      std::unique_ptr<rocksdb::DB> db;
      ASSERT_TRUE(tests::OpenRocksDB(RocksDBOptions(policy), dir.Path("db"), &db).ok());
    }
    std::vector<Database> databases;
    std::string error;
    ASSERT_TRUE(OpenInput(dir.Path("db"), &databases, &error)) << error;
    const std::string written = databases.at(0).column_families.at(0).filter_policy;
    FilterBlock block;
    block.name = "rocksdb.BuiltinBloomFilter";
    EXPECT_EQ(UseOf(written, block), PolicyUse::kUsed) << written;
    block.is_bloomline = true;
    EXPECT_EQ(UseOf(written, block) == PolicyUse::kUsed, policy[0] == '{') << written;
    EXPECT_EQ(databases[0].column_families[0].level_size_ratio, 10);
  }
}

// Counts reads of tables.
class CountingEnv : public leveldb::EnvWrapper {
 public:
  CountingEnv() : EnvWrapper(leveldb::Env::Default()) {}
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** result) override {
    leveldb::RandomAccessFile* file = nullptr;
    const leveldb::Status status = target()->NewRandomAccessFile(name, &file);
    if (status.ok()) *result = new File(file, this);
    return status;
  }
  int num_reads = 0;

 private:
  class File : public leveldb::RandomAccessFile {
   public:
    File(leveldb::RandomAccessFile* file, CountingEnv* env) : file_(file), env_(env) {}
    leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                         char* scratch) const override {
      ++env_->num_reads;
      return file_->Read(offset, n, result, scratch);
    }

   private:
    const std::unique_ptr<leveldb::RandomAccessFile> file_;
    CountingEnv* const env_;
  };
};

using LevelDBPolicy = std::unique_ptr<const leveldb::FilterPolicy>;

bool IsUsedByLevelDB(const std::string& path, const LevelDBPolicy& policy) {
  CountingEnv env;
  leveldb::Options options;
  options.env = &env;
  options.filter_policy = policy.get();
  leveldb::DB* opened = nullptr;
  EXPECT_TRUE(leveldb::DB::Open(options, path, &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  leveldb::ReadOptions read;
  read.fill_cache = false;
  std::string value;
  for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(db->Get(read, Key(2 * i), &value).ok());
  const int before = env.num_reads;
  for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(db->Get(read, Key(2 * i + 1), &value).IsNotFound());
  return env.num_reads - before < kKeys / 2;
}

TEST(FilterNames, LevelDBsPoliciesReadEachOthersFilters) {
  struct Policy {
    const char* name;  // as a user would say it
    bool writes_bloomline;
    LevelDBPolicy policy;
  };
  FilterOptions blocked, classic, seeded;
  blocked.format = Format::kBlocked;
  classic.format = Format::kClassic;
  seeded.seed = 7;
  std::vector<Policy> policies;
  const auto add = [&](const char* name, bool writes_bloomline,
                       const leveldb::FilterPolicy* policy) {
    ASSERT_NE(policy, nullptr);
    policies.push_back({name, writes_bloomline, LevelDBPolicy(policy)});
  };
  add("leveldb.BuiltinBloomFilter2", false, leveldb::NewBloomFilterPolicy(10));
  add("bloomline", true, NewLevelDBFilterPolicy(blocked));
  add("bloomline", false, NewLevelDBFilterPolicy(classic));
  add("mine", true, NewLevelDBFilterPolicy(blocked, "mine"));
  add(nullptr, true, NewLevelDBFilterPolicy(seeded, "mine"));
  add("nullptr", false, leveldb::NewBloomFilterPolicy(10));
  policies.back().policy.reset();
  int used = 0;
  for (const Policy& writer : policies) {
    const TempDir dir;
    {
      leveldb::Options options;
      options.create_if_missing = true;
      options.compression = leveldb::kNoCompression;
      options.filter_policy = writer.policy.get();
      leveldb::DB* opened = nullptr;
      ASSERT_TRUE(leveldb::DB::Open(options, dir.Path("db"), &opened).ok());
      const std::unique_ptr<leveldb::DB> db(opened);
      for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Put({}, Key(2 * i), "value").ok());
      db->CompactRange(nullptr, nullptr);
    }
    std::string error;
    const auto table = sstable::Table::Open(OneTable(dir.Path("db")), {}, &error);
    ASSERT_NE(table, nullptr) << error;
    const FilterBlock block = BlockOf(*table, writer.writes_bloomline);
    for (const Policy& reader : policies) {
      const std::string name = reader.name == nullptr ? reader.policy->Name() : reader.name;
      const bool real = IsUsedByLevelDB(dir.Path("db"), reader.policy);
      used += real;
      EXPECT_EQ(UseOf(name, block) == PolicyUse::kUsed, real) << name << " reads " << block.name;
    }
  }
  EXPECT_GE(used, 8);
}

TEST(FilterNames, WhatIsNotKnown) {
  FilterBlock block;
  block.name = "rocksdb.BuiltinBloomFilter";
  EXPECT_EQ(UseOf("", block), PolicyUse::kUnknown);
  EXPECT_EQ(UseOf("{bits_per_key=5}", block), PolicyUse::kUnknown);
  EXPECT_EQ(UseOf("my.Policy:3", block), PolicyUse::kUnknown);
  EXPECT_EQ(UseOf("bloomfilters", block), PolicyUse::kUnknown);
  block.kind = sstable::FilterKind::kByOffset;  // RocksDB 7 and later read none of these
  EXPECT_EQ(UseOf("bloomfilter:10:true", block), PolicyUse::kIgnored);
  EXPECT_EQ(UseOf("my.Policy:3", block), PolicyUse::kIgnored);
  block.kind = sstable::FilterKind::kNone;
  EXPECT_EQ(UseOf("bloomfilter:10:false", block), PolicyUse::kIgnored);
  block.kind = sstable::FilterKind::kFull;
  block.name = "other";
  EXPECT_EQ(UseOf("bloomfilter:10:false", block), PolicyUse::kIgnored);
}

}  // namespace
}  // namespace bloomline::directory
