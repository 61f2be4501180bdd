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
#include <memory>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "tests/support/case_folding.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

constexpr char kName[] = "app.Filter";
constexpr uint64_t kKeys = Repetitions(3000);

std::string_view View(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }

class IgnoresCase : public leveldb::Comparator {
 public:
  const char* Name() const override { return "test.IgnoresCase"; }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return CompareFolded(View(a), View(b));
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

Policy NewPolicy(std::shared_ptr<const KeyCanonicalizer> canonicalizer,
                 Format format = Format::kBlocked, uint64_t seed = 0,
                 const std::string& name = kName) {
  FilterOptions options;
  options.format = format;
  options.seed = seed;
  Policy policy(NewLevelDBFilterPolicy(options, name, std::move(canonicalizer)));
  EXPECT_NE(policy, nullptr);
  return policy;
}

Policy Folding(Format format = Format::kBlocked, uint64_t seed = 0) {
  return NewPolicy(CaseFolding::Named("test.CaseFolding"), format, seed);
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
    Compact();
  }
  void Compact() { db_->CompactRange(nullptr, nullptr); }

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

  void ExpectRight(bool uses_filters, const std::vector<uint64_t>& spellings = {0, 1, 7}) {
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

TEST(LevelDBComparatorTest, EachSpellingIsFoundAndMissingKeysAreExcluded) {
  for (const Format format : {Format::kClassic, Format::kBlocked, Format::kCompact}) {
    for (const uint64_t seed : {0, 5}) {
      if (format == Format::kClassic && seed != 0) continue;
      SCOPED_TRACE(testing::Message() << FormatName(format) << ", seed " << seed);
      TempDir dir;
      {
        Database db(dir.Path("db"), Folding(format, seed));
        db.Write(0, kKeys, 1);
        db.ExpectRight(true);
        db.Write(kKeys / 2, kKeys, 2);  // newer versions, in another spelling
        db.ExpectRight(true);
      }
      Database db(dir.Path("db"), Folding(format, seed));
      db.ExpectRight(true);
    }
  }
}

// LevelDB gives a policy the filters that were written under its name.
TEST(LevelDBComparatorTest, FiltersOfOthersLoseNoKey) {
  const auto of_leveldbs_name = [](Format format) {
    return NewPolicy(nullptr, format, 0, kLevelDBBuiltinName);
  };
  const auto make = [&](int kind) {
    switch (kind) {
      case 0:
        return Policy(leveldb::NewBloomFilterPolicy(10));
      case 1:
        return of_leveldbs_name(Format::kBlocked);
      case 2:
        return of_leveldbs_name(Format::kCompact);
      case 3:
        return of_leveldbs_name(Format::kClassic);
      case 4:
        return NewPolicy(nullptr);
      case 5:
        return NewPolicy(nullptr, Format::kBlocked, 0x1234567890abcdef);
      case 6:
        return NewPolicy(nullptr, Format::kCompact, 0x1234567890abcdef);
      case 7:
        return NewPolicy(nullptr, Format::kBlocked, 0x1234567890abcdee);
      case 8:
        return Folding();
      case 9:
        return Folding(Format::kBlocked, 5);
      default:
        return NewPolicy(CaseFolding::Named("test.Other"));
    }
  };
  const auto has_canonicalizer = [](int kind) { return kind >= 8; };
  for (int writer = 0; writer <= 10; ++writer) {
    TempDir dir;
    Database(dir.Path("db"), make(writer)).Write(0, kKeys, 1);
    for (int reader = 0; reader <= 10; ++reader) {
      SCOPED_TRACE(testing::Message() << writer << " to " << reader);
      const bool is_unknown = reader == 0 && (writer == 1 || writer == 2);
      const bool uses_filters =
          !is_unknown && std::strcmp(make(writer)->Name(), make(reader)->Name()) == 0;
      std::vector<uint64_t> spellings = {1};
      if (has_canonicalizer(writer) || has_canonicalizer(reader)) spellings = {0, 1, 7};
      Database(dir.Path("db"), make(reader)).ExpectRight(uses_filters, spellings);
    }
  }
}

TEST(LevelDBComparatorTest, AKeyWithoutACanonicalFormIsNeverLost) {
  const Policy policy = NewPolicy(std::make_shared<ThrowingFolding>());
  const auto filter_of = [&](const std::vector<std::string>& keys) {
    const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
    std::string filter = "before";
    policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
    EXPECT_EQ(filter.substr(0, 6), "before");
    return filter.substr(6);
  };
  const std::string good = filter_of({"Apple", "Pear"});
  EXPECT_TRUE(policy->KeyMayMatch("aPPLE", good));
  EXPECT_FALSE(policy->KeyMayMatch("plum", good));
  for (const char* key : {"no memory", "an int"}) {
    EXPECT_TRUE(policy->KeyMayMatch(key, good));
    for (const std::string& filter : {filter_of({key}), filter_of({"Apple", key, "Pear"})}) {
      EXPECT_EQ(filter, std::string("\x00\xFD", 2));
      EXPECT_TRUE(policy->KeyMayMatch("plum", filter));
    }
  }
  EXPECT_EQ(filter_of({}), "");
  EXPECT_FALSE(policy->KeyMayMatch("plum", ""));
}

TEST(LevelDBComparatorTest, NamesThatCouldMeanSomethingElseAreRefused) {
  const auto refusal = [](const std::string& name, const char* canonicalizer, uint64_t seed = 0) {
    FilterOptions options;
    options.seed = seed;
    std::string error;
    const Policy policy(NewLevelDBFilterPolicy(
        options, name, canonicalizer == nullptr ? nullptr : CaseFolding::Named(canonicalizer),
        &error));
    EXPECT_EQ(policy == nullptr, !error.empty());
    return error;
  };
  EXPECT_EQ(refusal("app.Filter", "a"), "");
  EXPECT_EQ(refusal("app.Filter", "a b"),
            "the canonicalizer's name is 'a b'; allowed: 1 to 64 letters, digits, '.', '_' and '-' "
            "of ASCII");
  EXPECT_EQ(refusal(kLevelDBBuiltinName, "a"),
            "canonicalizer is a and name is leveldb.BuiltinBloomFilter2, LevelDB's own; allowed: a "
            "name of your own, or no canonicalizer");
  for (const char* canonicalizer : {"a", static_cast<const char*>(nullptr)}) {
    EXPECT_EQ(refusal("app.canonicalizer-b", canonicalizer),
              "name is app.canonicalizer-b; allowed: names without '.canonicalizer-', which "
              "precedes a canonicalizer's name");
  }
  // It would be the name of canonicalizer `a` with a seed.
  const std::string check = ".seed-0123456789abcdef0123456789abcdef";
  EXPECT_NE(refusal("app", ("a" + check).c_str()), "");
  EXPECT_EQ(refusal("app", ("a" + check).c_str(), 5), "");
  EXPECT_EQ(refusal("app", "a", 5), "");
}

}  // namespace
}  // namespace bloomline::tests
