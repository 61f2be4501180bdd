// leveldb.h, c_leveldb.h: making a policy, its filters and its queries.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/c_leveldb.h"
#include "bloomline/leveldb.h"
#include "leveldb/slice.h"
#include "tests/faults/fail_each_allocation.h"
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

class LevelDBFiltersTest : public testing::TestWithParam<Format> {
 protected:
  Policy NewPolicy() const {
    FilterOptions options;
    options.format = GetParam();
    return Policy(NewLevelDBFilterPolicy(options));
  }
  static std::string Filter(const leveldb::FilterPolicy& policy, const ManyKeys& keys,
                            std::string* dst, Attempt* attempt) {
    const std::vector<leveldb::Slice> slices = Slices(keys);
    const size_t start = dst->size();
    attempt->Call(
        [&] { policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), dst); });
    return dst->substr(start);
  }
  static std::vector<leveldb::Slice> Slices(const ManyKeys& keys) {
    std::vector<leveldb::Slice> slices;
    for (const std::string_view key : keys.views) slices.emplace_back(key.data(), key.size());
    return slices;
  }
  static void ExpectPresent(const leveldb::FilterPolicy& policy, const ManyKeys& keys,
                            const std::string& filter) {
    keys.ExpectPresent([&](std::string_view key) {
      return policy.KeyMayMatch({key.data(), key.size()}, filter);
    });
  }
};

// LevelDB takes a filter of no bytes as a filter of no keys. It may pass an empty string, or one
// that holds earlier filters.
TEST_P(LevelDBFiltersTest, LoseNoKeyAndLeaveEarlierFilters) {
  const Policy policy = NewPolicy();
  const Policy stock(leveldb::NewBloomFilterPolicy(10));
  for (const size_t num_keys : {1, 36, 62, 500, 501, 5000}) {
    const ManyKeys keys(num_keys);
    for (const size_t before : {0, 1, 300}) {
      FailEachAllocation([&](Attempt* attempt) {
        std::string dst(before, 'x');
        dst.reserve(before + 2);  // else there is no answer without memory, as the next test shows
        const std::string filter = Filter(*policy, keys, &dst, attempt);
        EXPECT_EQ(dst.substr(0, before), std::string(before, 'x'));
        ExpectPresent(*policy, keys, filter);
        if (attempt->HasFailed()) ExpectPresent(*stock, keys, filter);
      });
    }
  }
}

// The caller's string is full, and there is no memory at all: LevelDB is built without exceptions.
TEST_P(LevelDBFiltersTest, WithoutRoomForTwoBytesTheProcessEnds) {
  const Policy policy = NewPolicy();
  std::string full(1000, 'x');
  full.shrink_to_fit();
  full.resize(full.capacity(), 'x');
  const ManyKeys keys(36);
  const std::vector<leveldb::Slice> slices = Slices(keys);
  EXPECT_DEATH(
      {
        Arm({1, true, false}, 0);
        policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &full);
      },
      "bloomline: out of memory for two bytes of a filter");
  Attempt once({1, false, false});
  ExpectPresent(*policy, keys, Filter(*policy, keys, &full, &once));
}

INSTANTIATE_TEST_SUITE_P(Formats, LevelDBFiltersTest,
                         testing::Values(Format::kClassic, Format::kBlocked, Format::kCompact));

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
