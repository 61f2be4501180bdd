// Real LevelDB databases, written and read by stock LevelDB and by bloomline in every combination.
// Their comparator ignores case: with a canonicalizer each stored key is found in every spelling,
// and missing keys are excluded; without, keys are found in the spelling in which they were
// written.
#include <gtest/gtest.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/options.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "tests/support/case_folding.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::leveldb_db_test {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

constexpr uint64_t kKeys = Repetitions(1000, 2);

class IgnoresCase : public leveldb::Comparator {
 public:
  const char* Name() const override { return "test.IgnoresCase"; }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return CompareFolded({a.data(), a.size()}, {b.data(), b.size()});
  }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// Counts the answers "no".
class CountingPolicy : public leveldb::FilterPolicy {
 public:
  explicit CountingPolicy(Policy policy) : policy_(std::move(policy)) {}
  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    policy_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    const bool may_match = policy_->KeyMayMatch(key, filter);
    num_excluded += may_match ? 0 : 1;
    return may_match;
  }
  mutable std::atomic<uint64_t> num_excluded{0};

 private:
  const Policy policy_;
};

Policy Plain(Format format = Format::kBlocked, uint64_t seed = 0,
             const std::string& name = "app.Filter") {
  return Policy(NewLevelDBFilterPolicy({format, 10, seed}, name));
}

Policy Folding(Policy policy = Plain(), const std::string& name = "test.CaseFolding") {
  return Policy(NewCanonicalLevelDBFilterPolicy(std::move(policy), CaseFolding::Named(name)));
}

class Database {
 public:
  Database(const std::string& path, Policy policy) : policy_(std::move(policy)) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.comparator = &comparator_;
    options.filter_policy = &policy_;
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, path, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }

  void Write(uint64_t first, uint64_t last, uint64_t spelling) {
    for (uint64_t i = first; i < last; ++i) {
      ASSERT_TRUE(db_->Put({}, SpelledKey(2 * i, spelling, i % 10 == 0), std::to_string(i)).ok());
    }
    db_->CompactRange(nullptr, nullptr);
  }
  uint64_t NumLost(uint64_t spelling) {
    uint64_t lost = 0;
    std::string value;
    for (uint64_t i = 0; i < kKeys; ++i) {
      const bool found = db_->Get({}, SpelledKey(2 * i, spelling, i % 10 == 0), &value).ok();
      lost += found && value == std::to_string(i) ? 0 : 1;
    }
    return lost;
  }

  uint64_t NumExcluded(uint64_t spelling) {
    const uint64_t before = policy_.num_excluded;
    std::string value;
    for (uint64_t i = 0; i < kKeys; ++i) {
      EXPECT_TRUE(db_->Get({}, SpelledKey(2 * i + 1, spelling), &value).IsNotFound());
    }
    return policy_.num_excluded - before;
  }

  void ExpectRight(bool uses_filters, const std::vector<uint64_t>& spellings) {
    for (const uint64_t spelling : spellings) EXPECT_EQ(NumLost(spelling), 0u) << spelling;
    const uint64_t excluded = NumExcluded(5);
    if (uses_filters) {
      EXPECT_GT(excluded, kKeys * 3 / 4);  // LevelDB's own filter excludes fewer than bloomline's
    } else {
      EXPECT_EQ(excluded, 0u);
    }
  }

 private:
  const IgnoresCase comparator_;
  const CountingPolicy policy_;
  std::unique_ptr<leveldb::DB> db_;
};

// LevelDB gives a policy the filters that were written under its name.
TEST(LevelDBComparatorTest, FiltersOfOthersLoseNoKey) {
  constexpr uint64_t kSeed = 0x1234567890abcdef;
  const std::function<Policy()> kinds[] = {
      [] { return Policy(leveldb::NewBloomFilterPolicy(10)); },
      [] { return Plain(Format::kBlocked, 0, kLevelDBBuiltinName); },
      [] { return Plain(Format::kCompact, 0, kLevelDBBuiltinName); },
      [] { return Plain(Format::kClassic, 0, kLevelDBBuiltinName); }, [] { return Plain(); },
      [] { return Plain(Format::kBlocked, kSeed); }, [] { return Plain(Format::kCompact, kSeed); },
      [] { return Plain(Format::kBlocked, kSeed - 1); },
      // From here on, with a canonicalizer.
      [] { return Folding(); }, [] { return Folding(Plain(Format::kCompact, 5)); },
      [] { return Folding(Plain(Format::kClassic, 0, kLevelDBBuiltinName)); },
      [] { return Folding(Plain(), "test.Other"); }};
  const auto has_canonicalizer = [](size_t kind) { return kind >= 8; };
  for (size_t writer = 0; writer < std::size(kinds); ++writer) {
    TempDir dir;
    {
      Database db(dir.Path("db"), kinds[writer]());
      db.Write(0, kKeys, 1);
      if (has_canonicalizer(writer)) db.Write(kKeys / 2, kKeys, 2);  // newer, in another spelling
    }
    for (size_t reader = 0; reader < std::size(kinds); ++reader) {
      SCOPED_TRACE(testing::Message() << writer << " to " << reader);
      const bool is_unknown = reader == 0 && (writer == 1 || writer == 2);
      const bool uses_filters =
          !is_unknown && std::strcmp(kinds[writer]()->Name(), kinds[reader]()->Name()) == 0;
      std::vector<uint64_t> spellings = {1};
      if (has_canonicalizer(writer) || has_canonicalizer(reader)) spellings = {0, 1, 7};
      Database(dir.Path("db"), kinds[reader]()).ExpectRight(uses_filters, spellings);
    }
  }
}

TEST(LevelDBComparatorTest, NamesAndArguments) {
  EXPECT_STREQ(Folding()->Name(), "app.Filter.canonicalizer-test.CaseFolding");
  std::string error;
  EXPECT_EQ(NewCanonicalLevelDBFilterPolicy(nullptr, CaseFolding::Named("a"), &error), nullptr);
  EXPECT_NE(error.find("the policy, the canonicalizer or its name is missing"), error.npos);
  EXPECT_EQ(NewCanonicalLevelDBFilterPolicy(Plain(), nullptr, &error), nullptr);
  EXPECT_EQ(NewCanonicalLevelDBFilterPolicy(Plain(), CaseFolding::Named(""), &error), nullptr);
  // Such a policy of keys would use the filters of canonical forms.
  EXPECT_EQ(NewLevelDBFilterPolicy(FilterOptions(), "app.Filter.canonicalizer-a", &error), nullptr);
  EXPECT_NE(error.find("allowed: names without '.canonicalizer-'"), error.npos) << error;
}

}  // namespace
}  // namespace bloomline::tests::leveldb_db_test
