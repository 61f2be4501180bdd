// leveldb.h, c_leveldb.h: making a policy, its filters and its queries.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/c_leveldb.h"
#include "bloomline/leveldb.h"
#include "leveldb/slice.h"
#include "tests/faults/attempts.h"
#include "tests/support/case_folding.h"

namespace bloomline::tests {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;
constexpr char kLongName[] = "test.NameThatNoStringHoldsWithoutMemory";

TEST(LevelDB, PolicyIsCreatedOrNull) {
  for (const Format format : {Format::kClassic, Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    ExpectMadeOrError(
        [&](std::string* error) {
          delete NewLevelDBFilterPolicy(options);  // prints to stderr why it returns null
          return Policy(NewLevelDBFilterPolicy(options, kLevelDBBuiltinName, error));
        },
        [](const Policy&) {});
    options.bits_per_key = 0;
    ExpectRefused([&](std::string* error) {
      return Policy(NewLevelDBFilterPolicy(options, kLevelDBBuiltinName, error));
    });
  }
}

// Keys that do not fit into the buffers of queries and filters.
TEST(LevelDB, CanonicalizerLosesNoKey) {
  const auto canonicalizer = CaseFolding::Named(kLongName);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 40; ++i) keys.push_back(SpelledKey(i, 1, true));
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  FailEachAllocation([&](Attempt* attempt) {
    Policy policy;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] {
      policy.reset(NewLevelDBFilterPolicy(FilterOptions(), "app.Filter", canonicalizer, &error));
    });
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
      EXPECT_TRUE(may_match);
    }
  });
}

size_t CopyKey(void*, const char* key, size_t length, char* buffer, size_t capacity) {
  if (length <= capacity) std::copy(key, key + length, buffer);
  return length;
}
void CountCall(void* state) { ++*static_cast<int*>(state); }

TEST(LevelDB, CPolicyIsCreatedOrNullAndItsStateDestroyedOnce) {
  FailEachAllocation([&](Attempt* attempt) {
    int destroyed = 0;
    leveldb_filterpolicy_t* policies[3] = {};
    char* errors[3] = {};
    attempt->Call([&] {
      policies[0] = bloomline_leveldb_filterpolicy_create(1, 10, &errors[0]);
      policies[1] =
          bloomline_leveldb_filterpolicy_create_with_seed(1, 10, kLongName, 5, &errors[1]);
      policies[2] = bloomline_leveldb_filterpolicy_create_with_canonicalizer(
          1, 10, "app.Filter", 0, kLongName, CopyKey, &destroyed, CountCall, &errors[2]);
    });
    EXPECT_EQ(destroyed, policies[2] == nullptr ? 1 : 0);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(policies[i] != nullptr ? errors[i] == nullptr : attempt->HasFailed());
      if (policies[i] != nullptr) leveldb_filterpolicy_destroy(policies[i]);
      std::free(errors[i]);
    }
    EXPECT_EQ(destroyed, 1);
  });
}

}  // namespace
}  // namespace bloomline::tests
