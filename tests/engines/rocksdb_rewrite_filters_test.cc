// RewriteFilters in databases of many options: all keys stay, the levels keep their shape, and a
// second call does nothing.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "tests/engines/rewrite_database.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests {
namespace {

constexpr uint64_t kKeys = Repetitions(12000);
constexpr char kPath[] = "/db";

using Model = RewriteDatabase::Model;

struct Mode {
  const char* name;
  std::function<void(rocksdb::Options*)> set = [](rocksdb::Options*) {};
  // What is written after the keys; changes the model, too.
  std::function<void(rocksdb::DB*, Model*)> write = [](rocksdb::DB*, Model*) {};
  bool include_level0 = false;
  // Files that share user keys, if RocksDB makes such files, become as many as it likes.
  bool has_chains = false;
  std::function<std::shared_ptr<const rocksdb::FilterPolicy>()> policy = [] {
    return CompactPolicy();
  };
  bool is_stock = false;  // the policy writes RocksDB's filters
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

void SetTable(rocksdb::Options* options,
              const std::function<void(rocksdb::BlockBasedTableOptions*)>& set) {
  rocksdb::BlockBasedTableOptions table;
  set(&table);
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

void ExpectOk(const rocksdb::Status& status) { EXPECT_TRUE(status.ok()) << status.ToString(); }

class Appends : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.Appends"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* before, const rocksdb::Slice& added,
             std::string* merged, rocksdb::Logger*) const override {
    *merged = (before == nullptr ? "" : before->ToString()) + added.ToString();
    return true;
  }
};

std::vector<Mode> Modes() {
  std::vector<Mode> modes;
  const auto add = [&](const char* name) -> Mode& {
    modes.emplace_back();
    modes.back().name = name;
    return modes.back();
  };
  add("Levels");
  add("DynamicLevels").set = [](rocksdb::Options* options) {
    options->level_compaction_dynamic_level_bytes = true;
  };
  add("Universal").set = [](rocksdb::Options* options) {
    options->compaction_style = rocksdb::kCompactionStyleUniversal;
    options->num_levels = 5;
  };
  Mode& fifo = add("FIFO");
  fifo.set = [](rocksdb::Options* options) {
    options->compaction_style = rocksdb::kCompactionStyleFIFO;
    options->compaction_options_fifo.max_table_files_size = 1 << 30;
  };
  fifo.include_level0 = true;
  Mode& level0 = add("Level0");
  level0.set = [](rocksdb::Options* options) { options->disable_auto_compactions = true; };
  level0.include_level0 = true;
  add("Paths").set = [](rocksdb::Options* options) {
    options->cf_paths = {{"/fast", 128 << 10}, {"/slow", uint64_t{1} << 40}};
  };
  add("Blobs").set = [](rocksdb::Options* options) {
    options->enable_blob_files = true;
    options->min_blob_size = 50;
    options->enable_blob_garbage_collection = true;
  };
  Mode& ranges = add("RangeDeletions");
  ranges.has_chains = true;
  ranges.write = [](rocksdb::DB* db, Model* model) {
    for (uint64_t i = 0; i < kKeys; i += kKeys / 20) {
      const std::string begin = RewriteKey(i);
      const std::string end = RewriteKey(i + kKeys / 4);
      ExpectOk(db->DeleteRange({}, db->DefaultColumnFamily(), begin, end));
      model->erase(model->lower_bound(begin), model->lower_bound(end));
      for (uint64_t j = 0; j < kKeys / 10; ++j) {
        const std::string key = RewriteKey((i + j * 7919) % kKeys);
        (*model)[key] = "again" + std::string(60, 'a');
        ExpectOk(db->Put({}, key, (*model)[key]));
      }
    }
  };
  Mode& merges = add("Merges");
  merges.set = [](rocksdb::Options* options) {
    options->merge_operator = std::make_shared<Appends>();
  };
  merges.write = [](rocksdb::DB* db, Model* model) {
    for (uint64_t i = 0; i < 2 * kKeys; ++i) {
      const std::string key = RewriteKey(i * 7 % kKeys);
      ExpectOk(db->Merge({}, key, "+"));
      (*model)[key] += "+";
    }
  };
  Mode& deletions = add("Deletions");
  deletions.write = [](rocksdb::DB* db, Model* model) {
    for (uint64_t i = 0; i < kKeys; i += 3) {
      ExpectOk(db->Delete({}, RewriteKey(i)));
      model->erase(RewriteKey(i));
    }
  };
  add("PartitionedFilters").set = [](rocksdb::Options* options) {
    SetTable(options, [](rocksdb::BlockBasedTableOptions* table) {
      table->partition_filters = true;
      table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table->metadata_block_size = 128;
    });
  };
  add("PrefixesOnly").set = [](rocksdb::Options* options) {
    options->prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(8));
    SetTable(options,
             [](rocksdb::BlockBasedTableOptions* table) { table->whole_key_filtering = false; });
  };
  add("KeysWithoutPrefix").set = [](rocksdb::Options* options) {
    options->prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(30));
    SetTable(options,
             [](rocksdb::BlockBasedTableOptions* table) { table->whole_key_filtering = false; });
  };
  add("RoundedSizes").set = [](rocksdb::Options* options) {
    SetTable(options, [](rocksdb::BlockBasedTableOptions* table) {
      table->optimize_filters_for_memory = true;
    });
  };
  add("NoFiltersAtTheBottom").set = [](rocksdb::Options* options) {
    options->optimize_filters_for_hits = true;
  };
  add("Compressed").set = [](rocksdb::Options* options) {
    for (const rocksdb::CompressionType type : rocksdb::GetSupportedCompressions()) {
      if (type == rocksdb::kZSTD || type == rocksdb::kLZ4Compression) options->compression = type;
    }
  };
  add("FormatVersion4").set = [](rocksdb::Options* options) {
    SetTable(options, [](rocksdb::BlockBasedTableOptions* table) { table->format_version = 4; });
  };
  add("BitsByLevel").policy = [] {
    RocksDBFilterOptions options;
    options.auto_bits_by_level = true;
    return NewRocksDBFilterPolicy(options);
  };
  add("NoFilterBelowLevel1").policy = [] {
    RocksDBFilterOptions options;
    options.bits_by_level = {20, 16, 0};
    return NewRocksDBFilterPolicy(options);
  };
  Mode& range_entries = add("RangeEntries");
  range_entries.set = [](rocksdb::Options* options) {
    options->prefix_extractor = NewRangeExtractor();
  };
  range_entries.policy = [] {
    RocksDBFilterOptions options;
    options.range_prefixes = "auto";
    return NewRocksDBFilterPolicy(options);
  };
  Mode& ribbon = add("RibbonOfRocksDB");
  ribbon.is_stock = true;
  ribbon.policy = [] {
    return std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewRibbonFilterPolicy(10));
  };
  Mode& bits = add("MoreBits");
  bits.is_stock = true;
  bits.policy = [] {
    FilterOptions options;
    options.format = Format::kBloom;
    options.bits_per_key = 20;
    return NewRocksDBFilterPolicy(options);
  };
  return modes;
}

class RewriteFiltersTest : public testing::TestWithParam<Mode> {
 protected:
  static rocksdb::Options Options(const Mode& mode, rocksdb::Env* env) {
    rocksdb::Options options = RewriteDatabase::SmallFiles();
    options.env = env;
    mode.set(&options);
    return options;
  }

  const std::unique_ptr<rocksdb::Env> env_{rocksdb::NewMemEnv(rocksdb::Env::Default())};
};

Model WriteKeys(rocksdb::DB* db) {
  Model model;
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  for (uint64_t i = 0; i < kKeys; ++i) {
    const std::string key = RewriteKey(i * 7919 % kKeys);
    model[key] = "value" + std::to_string(i) + std::string(60, 'v');
    ExpectOk(db->Put(write, key, model[key]));
  }
  return model;
}

std::set<std::string> Compressions(rocksdb::DB* db) {
  rocksdb::TablePropertiesCollection all;
  ExpectOk(db->GetPropertiesOfAllTables(&all));
  std::set<std::string> names;
  for (const auto& [path, properties] : all) names.insert(properties->compression_name);
  return names;
}

TEST_P(RewriteFiltersTest, KeepsKeysAndShape) {
  const Mode& mode = GetParam();
  RewriteDatabase db(Options(mode, env_.get()), kPath);
  db.OpenWithStockFilters();
  Model model = WriteKeys(db.get());
  mode.write(db.get(), &model);
  ExpectOk(db->Flush({}));
  db.WaitUntilQuiet();
  db.options().disable_auto_compactions = true;  // others would change the shape, too
  db.Open(mode.policy());
  db.ExpectKeys(model);
  if (!db.options().cf_paths.empty()) {  // in the first folder, where compactions leave no file
    model["new"] = "value";
    ExpectOk(db->Put({}, "new", model["new"]));
    ExpectOk(db->Flush({}));
  }
  const rocksdb::Snapshot* const snapshot = db->GetSnapshot();
  const auto shape = db.GetShape();
  const std::set<std::string> compressions = Compressions(db.get());
  // Mostly 6 and more; fewer where compactions keep up with a slow writer.
  ASSERT_GT(shape.size(), 0u);
  std::set<std::string> folders;
  for (const auto& file : shape) folders.insert(std::get<3>(file));
  EXPECT_EQ(folders.size(), db.options().cf_paths.empty() ? 1u : 2u);

  RewriteOptions options;
  options.include_level0 = mode.include_level0;
  options.dry_run = true;
  const RewriteReport planned = db.Rewrite(options);
  EXPECT_EQ(db.GetShape(), shape);
  options.dry_run = false;
  const RewriteReport report = db.Rewrite(options);
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_EQ(report.files_to_rewrite, planned.files_to_rewrite);
  EXPECT_EQ(report.bytes_to_rewrite, planned.bytes_to_rewrite);
  // On a slow machine, compactions may have left no file that needs a filter.
  EXPECT_EQ(report.files_rewritten > 0, report.files_to_rewrite > 0) << report.ToString();
  EXPECT_GE(report.files_rewritten, report.files_to_rewrite) << report.ToString();
  if (mode.has_chains && report.chained_files > 0) {
    EXPECT_EQ(std::get<0>(db.GetShape().back()), std::get<0>(shape.back()));
  } else {
    EXPECT_EQ(db.GetShape(), shape);
  }
  EXPECT_EQ(Compressions(db.get()), compressions);
  db.ExpectKeys(model);
  rocksdb::ReadOptions at_snapshot;
  at_snapshot.snapshot = snapshot;
  db.ExpectKeys(model, at_snapshot);
  db->ReleaseSnapshot(snapshot);

  const RewriteReport second = db.Rewrite(options);
  EXPECT_EQ(second.files_to_rewrite, 0u) << second.ToString();
  EXPECT_EQ(second.bytes_written, 0u);
  for (const char* old : {"RocksDB Bloom", "RocksDB legacy Bloom"}) {
    EXPECT_TRUE(mode.is_stock || second.before.count(old) == 0) << second.ToString();
  }
  db.Open(mode.policy());
  db.ExpectKeys(model);
  const RewriteReport third = db.Rewrite(options);
  EXPECT_EQ(third.files_to_rewrite, 0u) << third.ToString();
  ExpectOk(db->Put({}, "new", "value"));
}

INSTANTIATE_TEST_SUITE_P(Modes, RewriteFiltersTest, testing::ValuesIn(Modes()),
                         [](const auto& info) { return std::string(info.param.name); });

class RewriteFiltersInTest : public testing::Test {
 protected:
  RewriteFiltersInTest() {
    options_.env = env_.get();
    options_.disable_auto_compactions = true;
  }

  static void CompactAll(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ExpectOk(db->CompactRange(all, family, nullptr, nullptr));
  }

  const std::unique_ptr<rocksdb::Env> env_{rocksdb::NewMemEnv(rocksdb::Env::Default())};
  rocksdb::Options options_ = RewriteDatabase::SmallFiles();
};

// Versions of a key that snapshots keep fill many files, which begin and end with the same key.
TEST_F(RewriteFiltersInTest, KeepsVersionsOfSnapshots) {
  RewriteDatabase db(options_, kPath);
  FilterOptions blocked;
  db.Open(NewRocksDBFilterPolicy(blocked));
  Model model = WriteKeys(db.get());
  std::vector<const rocksdb::Snapshot*> snapshots;
  std::vector<std::string> versions;  // of each of the three keys
  for (int i = 0; i < 200; ++i) {
    for (const uint64_t key : {5, 6, 700}) {
      model[RewriteKey(key)] = "version" + std::to_string(i) + std::string(400, 'w');
      ExpectOk(db->Put({}, RewriteKey(key), model[RewriteKey(key)]));
    }
    snapshots.push_back(db->GetSnapshot());
    versions.push_back(model[RewriteKey(5)]);
  }
  ExpectOk(db->Flush({}));
  CompactAll(db.get(), db->DefaultColumnFamily());
  const auto shape = db.GetShape();
  ExpectOk(db->SetOptions(
      {{"block_based_table_factory", "{filter_policy={id=bloomline;format=compact};}"}}));
  const RewriteReport report = db.Rewrite();
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_GT(report.chained_files, 5u) << report.ToString();
  // The ends of a chain stay, and about as many files as there were: not one for each chain.
  const auto after = db.GetShape();
  EXPECT_NEAR(static_cast<double>(after.size()), static_cast<double>(shape.size()), 2);
  EXPECT_EQ(std::get<1>(after.front()), std::get<1>(shape.front()));
  EXPECT_EQ(std::get<2>(after.back()), std::get<2>(shape.back()));
  db.ExpectKeys(model);
  for (size_t i = 0; i < snapshots.size(); ++i) {
    rocksdb::ReadOptions read;
    read.snapshot = snapshots[i];
    for (const uint64_t key : {5, 6, 700}) {
      std::string value;
      ExpectOk(db->Get(read, RewriteKey(key), &value));
      EXPECT_EQ(value, versions[i]) << i;
    }
  }
  const RewriteReport second = db.Rewrite();
  EXPECT_EQ(second.files_to_rewrite, 0u);
  EXPECT_EQ(second.before.count("bloomline blocked"), 0u) << second.ToString();
  for (const rocksdb::Snapshot* snapshot : snapshots) db->ReleaseSnapshot(snapshot);
}

TEST_F(RewriteFiltersInTest, RewritesOneFamilyOnly) {
  RewriteDatabase db(options_, kPath);
  db.Open(CompactPolicy());
  rocksdb::ColumnFamilyOptions stock(options_);
  SetTable(&options_, [](rocksdb::BlockBasedTableOptions* table) {
    table->filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  });
  stock.table_factory = options_.table_factory;
  rocksdb::ColumnFamilyHandle* family = nullptr;
  ExpectOk(db->CreateColumnFamily(stock, "other", &family));
  for (uint64_t i = 0; i < kKeys; ++i) {
    ExpectOk(db->Put({}, RewriteKey(i), "value"));
    ExpectOk(db->Put({}, family, RewriteKey(i), "other"));
  }
  ExpectOk(db->Flush({}, {db->DefaultColumnFamily(), family}));
  CompactAll(db.get(), db->DefaultColumnFamily());
  CompactAll(db.get(), family);
  RewriteOptions all;
  all.all_files = true;
  const auto other_shape = db.GetShape(family);
  const auto names = [&](rocksdb::ColumnFamilyHandle* of) {
    rocksdb::ColumnFamilyMetaData metadata;
    db->GetColumnFamilyMetaData(of, &metadata);
    std::set<std::string> names;
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) names.insert(file.name);
    }
    return names;
  };
  const auto default_names = names(db->DefaultColumnFamily());
  const auto other_names = names(family);
  const RewriteReport report = db.Rewrite(all, family);
  EXPECT_EQ(report.column_family, "other");
  EXPECT_EQ(report.files_rewritten, other_shape.size());
  EXPECT_EQ(names(db->DefaultColumnFamily()), default_names);
  for (const std::string& name : names(family)) EXPECT_EQ(other_names.count(name), 0u) << name;
  EXPECT_EQ(db.GetShape(family), other_shape);
  std::string value;
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(db->Get({}, family, RewriteKey(i), &value).ok() && value == "other") << i;
    ASSERT_TRUE(db->Get({}, RewriteKey(i), &value).ok() && value == "value") << i;
  }
  ExpectOk(db->DestroyColumnFamilyHandle(family));
}

// RocksDB keeps the last level for files that are added behind all others.
TEST_F(RewriteFiltersInTest, LeavesTheLastLevelToFilesIngestedBehind) {
  options_.allow_ingest_behind = true;
  options_.num_levels = 4;
  RewriteDatabase db(options_, kPath);
  db.OpenWithStockFilters();
  Model model = WriteKeys(db.get());
  ExpectOk(db->Flush({}));
  CompactAll(db.get(), db->DefaultColumnFamily());
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db.options());
  ExpectOk(writer.Open("/behind.sst"));
  model["z"] = "behind";
  ExpectOk(writer.Put("z", "behind"));
  ExpectOk(writer.Finish());
  rocksdb::IngestExternalFileOptions behind;
  behind.ingest_behind = true;
  ExpectOk(db->IngestExternalFile({"/behind.sst"}, behind));
  const auto shape = db.GetShape();
  ASSERT_EQ(std::get<0>(shape.back()), 3);
  db.Open(CompactPolicy());
  const RewriteReport report = db.Rewrite();
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_EQ(report.files_rewritten, shape.size() - 1);
  EXPECT_EQ(db.GetShape(), shape);
  db.ExpectKeys(model);
}

TEST_F(RewriteFiltersInTest, KeepsTimestamps) {
  ASSERT_TRUE(rocksdb::Comparator::CreateFromString({}, "leveldb.BytewiseComparator.u64ts",
                                                    &options_.comparator)
                  .ok());
  RewriteDatabase db(options_, kPath);
  db.OpenWithStockFilters();
  const auto timestamp = [](uint64_t number) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i));
    return bytes;
  };
  constexpr uint64_t kVersions = 4;
  constexpr uint64_t kTimedKeys = kKeys / 4;
  for (uint64_t version = 1; version <= kVersions; ++version) {
    for (uint64_t i = 0; i < kTimedKeys; ++i) {
      ExpectOk(db->Put({}, RewriteKey(i), timestamp(version),
                       "version" + std::to_string(version) + std::string(60, 't')));
    }
  }
  ExpectOk(db->Flush({}));
  CompactAll(db.get(), db->DefaultColumnFamily());
  db.Open(CompactPolicy());
  const auto shape = db.GetShape();
  const RewriteReport report = db.Rewrite();
  EXPECT_TRUE(report.IsComplete()) << report.ToString();
  EXPECT_GE(report.files_rewritten, shape.size());
  std::string value;
  for (uint64_t version = 1; version <= kVersions; ++version) {
    const std::string at = timestamp(version);
    const rocksdb::Slice slice(at);
    rocksdb::ReadOptions read;
    read.timestamp = &slice;
    for (uint64_t i = 0; i < kTimedKeys; ++i) {
      ASSERT_TRUE(db->Get(read, RewriteKey(i), &value).ok()) << i;
      ASSERT_EQ(value.substr(0, 8), "version" + std::to_string(version));
    }
  }
  const RewriteReport second = db.Rewrite();
  EXPECT_EQ(second.files_to_rewrite, 0u);
  EXPECT_EQ(second.before.count("RocksDB Bloom"), 0u) << second.ToString();
}

// What was asked for is what the files have: memory within 2 %, and a second call has nothing to
// do. From nearly the same bits, which a wider comparison took for right.
TEST_F(RewriteFiltersInTest, TheFiltersHaveTheBitsThatWereAskedFor) {
  options_.target_file_size_base = 256 << 10;
  options_.max_bytes_for_level_base = 16 << 20;
  options_.write_buffer_size = 16 << 20;
  const auto blocked = [](double bits) {
    FilterOptions options;
    options.bits_per_key = bits;
    return NewRocksDBFilterPolicy(options);
  };
  const auto ribbon = [](double bits) {
    return std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewRibbonFilterPolicy(bits));
  };
  const auto compact = [](double bits) { return CompactPolicy(bits); };
  using Policy = std::function<std::shared_ptr<const rocksdb::FilterPolicy>(double bits)>;
  const std::pair<const char*, Policy> policies[] = {
      {"blocked", blocked}, {"compact", compact}, {"ribbon", ribbon}};
  for (const auto& [name, policy] : policies) {
    for (const bool is_partitioned : {false, true}) {
      SCOPED_TRACE(std::string(name) + (is_partitioned ? " in partitions" : ""));
      SetTable(&options_, [&](rocksdb::BlockBasedTableOptions* table) {
        // Else sizes are rounded to the allocator's, and a small file's may be right already.
        table->optimize_filters_for_memory = false;
        table->partition_filters = is_partitioned;
        if (is_partitioned) {
          table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
          // Of 4 KiB, RocksDB 9.10 makes partitions of 1,300 keys, of which 10 and 10.9 bits are the
          // same: two blocks for each partition are tolerated.
          table->metadata_block_size = 16 << 10;
        }
      });
      const auto filter_bytes = [](RewriteDatabase& db) {
        rocksdb::TablePropertiesCollection all;
        ExpectOk(db->GetPropertiesOfAllTables(&all));
        uint64_t sum = 0;
        for (const auto& [path, properties] : all) sum += properties->filter_size;
        return static_cast<double>(sum);
      };
      const std::string path = std::string("/") + name + (is_partitioned ? "_parts" : "");
      RewriteDatabase db(options_, path);
      db.Open(policy(10.9));
      for (uint64_t i = 0; i < 5 * kKeys; ++i) ExpectOk(db->Put({}, RewriteKey(i), "value"));
      ExpectOk(db->Flush({}));
      CompactAll(db.get(), db->DefaultColumnFamily());
      ASSERT_GT(db.GetShape().size(), 3u);
      EXPECT_EQ(db.Rewrite().files_to_rewrite, 0u);
      const double before = filter_bytes(db);
      db.Open(policy(10));
      const RewriteReport report = db.Rewrite();
      EXPECT_EQ(report.files_rewritten, report.files) << report.ToString();
      EXPECT_TRUE(report.IsComplete()) << report.ToString();
      EXPECT_NEAR(filter_bytes(db) / before, 10 / 10.9, 0.02);
      const RewriteReport second = db.Rewrite();
      EXPECT_EQ(second.files_to_rewrite, 0u) << second.ToString();
    }
  }
}

}  // namespace
}  // namespace bloomline::tests
