// detect_filter_construct_corruption on databases: memory is damaged while a flush or a compaction
// builds a filter. It must say so, and nothing may be lost.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>

#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/rocksdb_matrix/filters.h"
#include "tests/rocksdb_matrix/forwarding_builder.h"
#include "tests/support/nothrow_new.h"

namespace bloomline::matrix {
namespace {

// The first allocation of a filter's builder: its first hashes lie there.
thread_local char* first_allocated = nullptr;

enum class Damage {
  kHash,    // a bit of a key's hash, before the filter is built
  kFilter,  // bytes of the finished filter, before it is written
};

class DamagedBuilder : public ForwardingBuilder {
 public:
  DamagedBuilder(rocksdb::FilterBitsBuilder* builder, Damage damage)
      : ForwardingBuilder(builder), damage_(damage) {
    first_allocated = nullptr;
    tests::observe_nothrow_new = [](char* memory) {
      if (first_allocated == nullptr) first_allocated = memory;
    };
  }
  ~DamagedBuilder() override { tests::observe_nothrow_new = nullptr; }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    constexpr size_t kBehindFirstHashes = 200;
    if (damage_ == Damage::kHash && first_allocated != nullptr) {
      first_allocated[kBehindFirstHashes] ^= 1;
    }
    const Slice filter = ForwardingBuilder::Finish(buf, status);
    // The trailer at the end stays.
    if (damage_ == Damage::kFilter) {
      std::memset(const_cast<char*>(filter.data()), 0, filter.size() / 2);
    }
    first_allocated = nullptr;  // that of the next partition, if it has one
    return filter;
  }

 private:
  const Damage damage_;
};

class DamagingPolicy : public rocksdb::FilterPolicy {
 public:
  DamagingPolicy(Policy policy, Damage damage) : policy_(std::move(policy)), damage_(damage) {}
  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override { return policy_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    rocksdb::FilterBitsBuilder* const builder = policy_->GetBuilderWithContext(context);
    return damages_ ? new DamagedBuilder(builder, damage_) : builder;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return policy_->GetFilterBitsReader(contents);
  }
  void set_damages(bool damages) { damages_ = damages; }

 private:
  const Policy policy_;
  const Damage damage_;
  bool damages_ = false;
};

struct Case {
  Format format;
  Damage damage;
  bool is_partitioned;
  bool detects;
};

std::string NameOf(const Case& c) {
  return std::string(c.format == Format::kBlocked ? "Blocked" : "Compact") +
         (c.damage == Damage::kHash ? "Hash" : "Filter") +
         (c.is_partitioned ? "Partitioned" : "Full") + (c.detects ? "Detected" : "Undetected");
}

void PrintTo(const Case& c, std::ostream* out) { *out << NameOf(c); }

class DamageTest : public testing::TestWithParam<Case> {
 protected:
  static constexpr int kKeys = 3000;

  DamageTest() : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())) {
    FilterOptions filter;
    filter.format = GetParam().format;
    policy_ = std::make_shared<DamagingPolicy>(NewRocksDBFilterPolicy(filter), GetParam().damage);
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy_;
    table.detect_filter_construct_corruption = GetParam().detects;
    if (GetParam().is_partitioned) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 1024;
    }
    options_.env = env_.get();
    options_.create_if_missing = true;
    options_.disable_auto_compactions = true;
    options_.max_bgerror_resume_count = 0;
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    Open();
  }

  void Open() {
    db_.reset();
    ASSERT_TRUE(tests::OpenRocksDB(options_, "/damage", &db_).ok());
  }

  static std::string Key(int i) { return "key" + std::to_string(100000 + i); }

  void Write(int first, int step) {
    for (int i = first; i < kKeys; i += step) {
      ASSERT_TRUE(db_->Put({}, Key(i), Key(i)).ok());
    }
  }

  int LostKeys() {
    int lost = 0;
    std::string value;
    for (int i = 0; i < kKeys; ++i) {
      const bool found = db_->Get({}, Key(i), &value).ok() && value == Key(i);
      lost += found ? 0 : 1;
    }
    return lost;
  }

  // What a flush or compaction with damage returned.
  void Check(const rocksdb::Status& status) {
    policy_->set_damages(false);
    if (!GetParam().detects) {  // the damage is of a kind that matters
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_GT(LostKeys(), 0);
      return;
    }
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    const bool is_hash = GetParam().damage == Damage::kHash;
    EXPECT_NE(status.ToString().find(is_hash ? "hash entries checksum" : "filter lost"),
              std::string::npos)
        << status.ToString();
    EXPECT_EQ(LostKeys(), 0);
    Open();
    EXPECT_EQ(LostKeys(), 0);
    EXPECT_TRUE(db_->Flush({}).ok());
    EXPECT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
    EXPECT_EQ(LostKeys(), 0);
    EXPECT_TRUE(db_->Put({}, "another", "value").ok());
  }

  const std::unique_ptr<rocksdb::Env> env_;
  std::shared_ptr<DamagingPolicy> policy_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_P(DamageTest, Flush) {
  Write(0, 1);
  policy_->set_damages(true);
  Check(db_->Flush({}));
}

TEST_P(DamageTest, Compaction) {
  for (const int first : {0, 1}) {
    Write(first, 2);
    ASSERT_TRUE(db_->Flush({}).ok());
  }
  ASSERT_EQ(LostKeys(), 0);
  policy_->set_damages(true);
  Check(db_->CompactRange({}, nullptr, nullptr));
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    for (const Damage damage : {Damage::kHash, Damage::kFilter}) {
      for (const bool is_partitioned : {false, true}) {
        for (const bool detects : {true, false}) {
          cases.push_back({format, damage, is_partitioned, detects});
        }
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, DamageTest, testing::ValuesIn(Cases()),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace bloomline::matrix
