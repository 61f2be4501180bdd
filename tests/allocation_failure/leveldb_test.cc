// leveldb.h, c_leveldb.h: making a policy, and its queries.
#include "bloomline/leveldb.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/c_leveldb.h"
#include "leveldb/slice.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/support/case_folding.h"

namespace bloomline::tests {
namespace {

TEST(LevelDB, PolicyIsCreatedOrNull) {
  for (const Format format : {Format::kClassic, Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    FailEachAllocation({"NewLevelDBFilterPolicy"}, [&](Attempt* attempt) {
      const leveldb::FilterPolicy* policy = nullptr;
      std::string error;
      attempt->Call([&] {
        delete NewLevelDBFilterPolicy(options);  // prints to stderr why it returns null
        policy = NewLevelDBFilterPolicy(options, kLevelDBBuiltinName, &error);
      });
      const std::unique_ptr<const leveldb::FilterPolicy> owned(policy);
      EXPECT_EQ(policy != nullptr, error.empty()) << error;
      EXPECT_TRUE(policy != nullptr || attempt->HasFailed());
      if (policy == nullptr) return;
      EXPECT_STREQ(policy->Name(), kLevelDBBuiltinName);
      std::string filter;
      const leveldb::Slice key("a key");
      policy->CreateFilter(&key, 1, &filter);
      ExpectNoAllocation({}, [&] { attempt->CheckPresent(policy->KeyMayMatch(key, filter)); });
    });
  }
}

TEST(LevelDB, SeededPolicyIsCreatedOrNull) {
  const std::string name = "a name of the user's own";
  FailEachAllocation({"bloomline_leveldb_filterpolicy_create_with_seed"}, [&](Attempt* attempt) {
    leveldb_filterpolicy_t* policy = nullptr;
    char* error = nullptr;
    attempt->Call([&] {
      policy = bloomline_leveldb_filterpolicy_create_with_seed(1, 10, name.c_str(), 5, &error);
    });
    EXPECT_TRUE(policy != nullptr || attempt->HasFailed());
    EXPECT_TRUE(policy == nullptr || error == nullptr);
    if (policy != nullptr) leveldb_filterpolicy_destroy(policy);
    std::free(error);
  });
}

// Keys that do not fit into the buffers of queries and filters.
TEST(LevelDB, CanonicalizerLosesNoKey) {
  const auto canonicalizer = CaseFolding::Named("test.NameThatNoStringHoldsWithoutMemory");
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 40; ++i) keys.push_back(SpelledKey(i, 1, true));
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  FailEachAllocation({"NewLevelDBFilterPolicy"}, [&](Attempt* attempt) {
    const leveldb::FilterPolicy* created = nullptr;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] {
      created = NewLevelDBFilterPolicy(FilterOptions(), "app.Filter", canonicalizer, &error);
    });
    const std::unique_ptr<const leveldb::FilterPolicy> policy(created);
    attempt->CheckOutcome(policy != nullptr, error);
    if (policy == nullptr) return;
    std::string filter;
    filter.reserve(100);  // as after an earlier filter of the table
    attempt->Call(
        [&] { policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter); });
    for (uint64_t i = 0; i < keys.size(); ++i) {
      const std::string key = SpelledKey(i, 7, true);
      bool may_match = false;
      attempt->Call([&] { may_match = policy->KeyMayMatch(key, filter); });
      attempt->CheckPresent(may_match);
    }
  });
}

size_t CopyKey(void*, const char* key, size_t length, char* buffer, size_t capacity) {
  if (length <= capacity) std::copy(key, key + length, buffer);
  return length;
}
void CountCall(void* state) { ++*static_cast<int*>(state); }

TEST(LevelDB, CanonicalizerFromCIsDestroyedOnce) {
  const std::string name = "test.NameThatNoStringHoldsWithoutMemory";
  FailEachAllocation(
      {"bloomline_leveldb_filterpolicy_create_with_canonicalizer"}, [&](Attempt* attempt) {
        int destroyed = 0;
        leveldb_filterpolicy_t* policy = nullptr;
        char* error = nullptr;
        attempt->Call([&] {
          policy = bloomline_leveldb_filterpolicy_create_with_canonicalizer(
              1, 10, "app.Filter", 0, name.c_str(), CopyKey, &destroyed, CountCall, &error);
        });
        EXPECT_TRUE(policy != nullptr ? error == nullptr : attempt->HasFailed());
        EXPECT_EQ(destroyed, policy == nullptr ? 1 : 0);
        if (policy != nullptr) leveldb_filterpolicy_destroy(policy);
        EXPECT_EQ(destroyed, 1);
        std::free(error);
      });
}

TEST(LevelDB, InvalidOptionsAreRefusedWithoutMemory) {
  FilterOptions wrong[4];
  wrong[0].bits_per_key = 0;
  wrong[1].format = Format{99};
  wrong[2].seed = 1;  // under LevelDB's own name
  wrong[3].random_seed = true;
  for (const FilterOptions& options : wrong) {
    FailEachAllocation({"NewLevelDBFilterPolicy"}, [&](Attempt* attempt) {
      const leveldb::FilterPolicy* policy = nullptr;
      std::string error;
      attempt->Call([&] { policy = NewLevelDBFilterPolicy(options, kLevelDBBuiltinName, &error); });
      attempt->CheckRefusal(policy != nullptr, error);
    });
  }
}

TEST(LevelDB, CPolicyIsCreatedOrNull) {
  for (const int format : {0, 1, 2, 99}) {
    FailEachAllocation({"bloomline_leveldb_filterpolicy_create"}, [&](Attempt* attempt) {
      leveldb_filterpolicy_t* policy = nullptr;
      char* error = nullptr;
      attempt->Call([&] { policy = bloomline_leveldb_filterpolicy_create(format, 10, &error); });
      EXPECT_TRUE(policy != nullptr || format == 99 || attempt->HasFailed());
      EXPECT_TRUE(policy == nullptr || (error == nullptr && format != 99));
      EXPECT_TRUE(policy != nullptr || error != nullptr || attempt->HasFailed());
      if (policy != nullptr) leveldb_filterpolicy_destroy(policy);
      std::free(error);
    });
  }
}

}  // namespace
}  // namespace bloomline::tests
