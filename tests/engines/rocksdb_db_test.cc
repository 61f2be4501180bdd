// Real RocksDB databases, written and read by stock RocksDB and by bloomline in every combination,
// over full and partitioned filters, prefixes and MultiGet.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/key_shapes.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using tests::KeyMaker;
using tests::KeyShape;
using tests::TempDir;

constexpr uint64_t kKeys = 6000;

enum class Kind { kBloom, kRibbon, kLegacy, kNone, kOurs, kCompact, kRandomSeed };

const char* Name(Kind kind) {
  constexpr const char* kNames[] = {"Bloom", "Ribbon",  "Legacy",    "None",
                                    "Ours",  "Compact", "RandomSeed"};
  return kNames[static_cast<int>(kind)];
}

std::shared_ptr<const rocksdb::FilterPolicy> NewPolicy(Kind kind) {
  switch (kind) {
    case Kind::kBloom:
    case Kind::kLegacy:
      return std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10));
    case Kind::kRibbon:
      return std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewRibbonFilterPolicy(10, -1));
    case Kind::kNone:
      return nullptr;
    case Kind::kOurs:
    case Kind::kCompact:
    case Kind::kRandomSeed:
      break;
  }
  FilterOptions options;
  if (kind != Kind::kOurs) options.format = Format::kCompact;
  options.random_seed = kind == Kind::kRandomSeed;
  return NewRocksDBFilterPolicy(options);
}

struct Mode {
  const char* name;
  bool partitioned;
  bool prefix;
  bool whole_key;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

constexpr Mode kModes[] = {{"Full", false, false, true},
                           {"Partitioned", true, false, true},
                           {"FullPrefix", false, true, true},
                           {"FullPrefixOnly", false, true, false},
                           {"PartitionedPrefix", true, true, true}};

rocksdb::Options MakeOptions(std::shared_ptr<const rocksdb::FilterPolicy> policy, const Mode& mode,
                             uint32_t format_version = 5) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = format_version;
  table.filter_policy = std::move(policy);
  table.whole_key_filtering = mode.whole_key;
  if (mode.partitioned) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = 1024;
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.statistics = rocksdb::CreateDBStatistics();
  options.write_buffer_size = 64 << 10;
  if (mode.prefix) options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(6));
  return options;
}

class Database {
 public:
  Database(const std::string& path, Kind kind, const Mode& mode)
      // Below 5, RocksDB's Bloom filter is the legacy one.
      : Database(path, MakeOptions(NewPolicy(kind), mode, kind == Kind::kLegacy ? 4 : 5)) {}
  Database(const std::string& path, const rocksdb::Options& options) : options_(options) {
    const rocksdb::Status status = tests::OpenRocksDB(options_, path, &db_);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }

  void Write(KeyShape shape, uint64_t first, uint64_t last) {
    KeyMaker key(shape);
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (uint64_t i = first; i < last; ++i) {
      const std::string_view k = key(2 * i);
      ASSERT_TRUE(db_->Put(write, {k.data(), k.size()}, Value(i)).ok());
    }
    ASSERT_TRUE(db_->Flush({}).ok());
  }

  void Compact() { ASSERT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok()); }

  void ExpectNoWrongAnswer(KeyShape shape, uint64_t last) {
    KeyMaker key(shape);
    std::string value;
    for (uint64_t i = 0; i < last; ++i) {
      const std::string_view k = key(2 * i);
      ASSERT_TRUE(db_->Get({}, {k.data(), k.size()}, &value).ok()) << "lost key " << i;
      ASSERT_EQ(value, Value(i));
    }
    for (uint64_t i = 0; i < last; ++i) {
      const std::string_view k = key(2 * i + 1);
      ASSERT_TRUE(db_->Get({}, {k.data(), k.size()}, &value).IsNotFound()) << i;
    }
    ExpectMultiGetRight(shape, last);
    ExpectIterationRight(shape, last);
  }

  uint64_t Ticker(rocksdb::Tickers ticker) const {
    return options_.statistics->getTickerCount(ticker);
  }
  uint64_t rejections() const {
    return Ticker(rocksdb::BLOOM_FILTER_USEFUL) + Ticker(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
  }
  rocksdb::DB* db() { return db_.get(); }

 private:
  static std::string Value(uint64_t i) { return std::to_string(i) + std::string(60, 'v'); }

  void ExpectMultiGetRight(KeyShape shape, uint64_t last) {
    KeyMaker key(shape);
    constexpr size_t kBatch = 100;
    for (uint64_t start = 0; start + kBatch / 2 <= last; start += 977) {
      std::vector<std::string> keys;
      for (size_t i = 0; i < kBatch; ++i) keys.emplace_back(key(2 * start + i));
      const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
      std::vector<rocksdb::PinnableSlice> values(kBatch);
      std::vector<rocksdb::Status> statuses(kBatch);
      db_->MultiGet({}, db_->DefaultColumnFamily(), kBatch, slices.data(), values.data(),
                    statuses.data());
      for (size_t i = 0; i < kBatch; ++i) {
        if (i % 2 == 0) {
          ASSERT_TRUE(statuses[i].ok()) << "MultiGet lost key " << start + i / 2;
          ASSERT_EQ(values[i].ToString(), Value(start + i / 2));
        } else {
          ASSERT_TRUE(statuses[i].IsNotFound());
        }
      }
    }
  }

  // Seeks within a prefix may use the prefix filter to skip files; keys that share it must appear.
  void ExpectIterationRight(KeyShape shape, uint64_t last) {
    KeyMaker key(shape);
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = options_.prefix_extractor != nullptr;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read));
    for (uint64_t i = 0; i < last; i += 97) {
      const std::string k(key(2 * i));
      iterator->Seek(k);
      ASSERT_TRUE(iterator->Valid()) << i;
      ASSERT_EQ(iterator->key().ToString(), k);
    }
  }

  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

class RocksDBTest : public testing::TestWithParam<Mode> {};

TEST_P(RocksDBTest, EveryDirectionGivesNoWrongAnswer) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "most of its time is RocksDB's, which is not instrumented";
#endif
  const KeyShape shape = KeyShape::kPath;  // which answers are right does not depend on it
  for (const Kind writer : {Kind::kBloom, Kind::kRibbon, Kind::kLegacy, Kind::kNone, Kind::kOurs,
                            Kind::kCompact, Kind::kRandomSeed}) {
    for (const Kind reader : {Kind::kBloom, Kind::kNone, Kind::kOurs}) {
      // Without filters on one side, bloomline is on the other.
      if (writer == Kind::kNone && reader != Kind::kOurs) continue;
      if (reader == Kind::kNone && writer != Kind::kOurs && writer != Kind::kCompact) continue;
      SCOPED_TRACE(testing::Message()
                   << Name(writer) << " to " << Name(reader) << ", " << Name(shape));
      TempDir dir;
      {
        Database db(dir.Path("db"), writer, GetParam());
        db.Write(shape, 0, kKeys / 2);
        db.Write(shape, kKeys / 2, kKeys);
        db.Compact();
        db.ExpectNoWrongAnswer(shape, kKeys);
      }
      Database db(dir.Path("db"), reader, GetParam());
      db.ExpectNoWrongAnswer(shape, kKeys);
      const bool is_stock = writer <= Kind::kLegacy;
      const bool understood = reader == Kind::kOurs || is_stock;
      if (writer == Kind::kNone || reader == Kind::kNone || !understood) {
        EXPECT_EQ(db.rejections(), 0u) << "stock must take our bytes for 'may match'";
      } else if (GetParam().whole_key) {
        EXPECT_GT(db.rejections(), kKeys * 9 / 10) << "filters are not used";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RocksDBTest, testing::ValuesIn(kModes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bloomline
