// Real LevelDB databases, written and read by stock LevelDB and by bloomline in every combination.
#include <gtest/gtest.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/options.h>
#include <leveldb/write_batch.h>

#include <atomic>
#include <memory>
#include <string>

#include "bloomline/leveldb.h"
#include "tests/support/key_shapes.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using tests::KeyMaker;
using tests::KeyShape;
using tests::TempDir;

constexpr uint64_t kKeys = 6000;

// Counts the answers of the wrapped policy, so that a test sees whether filters are used at all.
class CountingPolicy : public leveldb::FilterPolicy {
 public:
  explicit CountingPolicy(const leveldb::FilterPolicy* policy) : policy_(policy) {}
  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    policy_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    const bool answer = policy_->KeyMayMatch(key, filter);
    ++(answer ? yes : no);
    return answer;
  }
  mutable std::atomic<int> yes{0};
  mutable std::atomic<int> no{0};

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
};

enum class Kind {
  kStock,
  kOurs,
  kOursClassic,
  kOursCompact,
  kOursRenamed,
  kSeeded,
  kSeededCompact,
  kOtherSeed
};

constexpr char kName[] = "my.Filter";

uint64_t SeedOf(Kind kind) {
  if (kind == Kind::kSeeded || kind == Kind::kSeededCompact) return 0x1234567890abcdef;
  return kind == Kind::kOtherSeed ? 0x1234567890abcdee : 0;
}

std::unique_ptr<CountingPolicy> NewPolicy(Kind kind) {
  FilterOptions options;
  if (kind == Kind::kOursClassic) options.format = Format::kClassic;
  if (kind == Kind::kOursCompact || kind == Kind::kSeededCompact) options.format = Format::kCompact;
  options.seed = SeedOf(kind);
  const bool is_named = kind == Kind::kOursRenamed || options.seed != 0;
  const leveldb::FilterPolicy* policy =
      kind == Kind::kStock
          ? leveldb::NewBloomFilterPolicy(10)
          : NewLevelDBFilterPolicy(options, is_named ? kName : kLevelDBBuiltinName);
  return std::make_unique<CountingPolicy>(policy);
}

class Database {
 public:
  Database(const std::string& path, Kind kind) : policy_(NewPolicy(kind)) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.filter_policy = policy_.get();
    options.write_buffer_size = 64 << 10;  // several tables
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, path, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }

  void Write(KeyShape shape, uint64_t first, uint64_t last) {
    KeyMaker key(shape);
    leveldb::WriteBatch batch;
    for (uint64_t i = first; i < last; ++i) {
      const std::string_view k = key(2 * i);
      batch.Put({k.data(), k.size()}, Value(i));
    }
    ASSERT_TRUE(db_->Write({}, &batch).ok());
  }

  void Compact() { db_->CompactRange(nullptr, nullptr); }

  // Reads every stored key with its value, and as many missing keys adjacent to them.
  void ExpectNoWrongAnswer(KeyShape shape, uint64_t last) {
    KeyMaker key(shape);
    std::string value;
    policy_->yes = 0;
    policy_->no = 0;
    for (uint64_t i = 0; i < last; ++i) {
      std::string_view k = key(2 * i);
      ASSERT_TRUE(db_->Get({}, {k.data(), k.size()}, &value).ok()) << "lost key " << i;
      ASSERT_EQ(value, Value(i));
    }
    for (uint64_t i = 0; i < last; ++i) {
      std::string_view k = key(2 * i + 1);
      ASSERT_TRUE(db_->Get({}, {k.data(), k.size()}, &value).IsNotFound()) << i;
    }
  }

  int rejections() const { return policy_->no; }

 private:
  static std::string Value(uint64_t i) { return std::to_string(i) + std::string(90, 'v'); }

  // Destroyed first: the database uses the policy until it is closed.
  std::unique_ptr<CountingPolicy> policy_;
  std::unique_ptr<leveldb::DB> db_;
};

class LevelDBTest : public testing::TestWithParam<KeyShape> {};

TEST_P(LevelDBTest, FourDirectionsGiveNoWrongAnswer) {
  for (const Kind writer : {Kind::kStock, Kind::kOurs, Kind::kOursClassic, Kind::kOursCompact}) {
    for (const Kind reader : {Kind::kStock, Kind::kOurs}) {
      TempDir dir;
      {
        Database db(dir.Path("db"), writer);
        db.Write(GetParam(), 0, kKeys);
        db.Compact();
        db.ExpectNoWrongAnswer(GetParam(), kKeys);
      }
      Database db(dir.Path("db"), reader);
      db.ExpectNoWrongAnswer(GetParam(), kKeys);
      const bool stock_filters = writer == Kind::kStock || writer == Kind::kOursClassic;
      const bool understood = stock_filters || reader != Kind::kStock;
      if (understood) {
        // On the worst shape, half of the adjacent keys are false positives of stock's own filter.
        EXPECT_GT(db.rejections(), static_cast<int>(kKeys) / 4) << "filters are not used";
      } else {
        EXPECT_EQ(db.rejections(), 0) << "stock must take our bytes for 'may match'";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LevelDBTest,
                         testing::Values(KeyShape::kBigEndian64, KeyShape::kPath),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST(LevelDBSeedTest, OnlyThePolicyOfTheSameSeedUsesAFilterAndNoneLosesAKey) {
  constexpr Kind kAll[] = {Kind::kStock,  Kind::kOurs,          Kind::kOursRenamed,
                           Kind::kSeeded, Kind::kSeededCompact, Kind::kOtherSeed};
  for (const Kind writer : {Kind::kSeeded, Kind::kSeededCompact, Kind::kOursRenamed}) {
    TempDir dir;
    {
      Database db(dir.Path("db"), writer);
      db.Write(KeyShape::kDecimal16, 0, kKeys);
      db.Compact();
    }
    for (const Kind reader : kAll) {
      Database db(dir.Path("db"), reader);
      db.ExpectNoWrongAnswer(KeyShape::kDecimal16, kKeys);
      const bool is_named = reader == Kind::kOursRenamed || SeedOf(reader) != 0;
      if (is_named && SeedOf(reader) == SeedOf(writer)) {
        EXPECT_GT(db.rejections(), static_cast<int>(kKeys) * 98 / 100) << "filters are not used";
      } else {
        EXPECT_EQ(db.rejections(), 0) << "filters of another seed are used";
      }
    }
  }
}

}  // namespace
}  // namespace bloomline
