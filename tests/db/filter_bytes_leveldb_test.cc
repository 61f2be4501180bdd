// What LevelDB's policy and `bloomline db` make of the same bytes, which they read by the policy's
// name: whole, damaged and unknown ones.
#include <gtest/gtest.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/leveldb.h"
#include "src/db/engine_filters/engine_filter.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/leveldb_filter.h"

namespace bloomline::tests::filter_bytes_leveldb_test {
namespace {

using namespace std::string_literals;  // bytes with zeros
using engine_filters::EngineFilter;

constexpr int kQueries = 100;

struct Row {
  std::string name;  // of the policy
  std::string bytes;
  int policy_matches;  // of kQueries keys; kKeys: the stored ones, and few others
  int command_matches;
  std::string layout;
  std::string why;  // a part of the reason why the command does not query it; "": it does
};
constexpr int kKeys = 36;

std::string KeyOf(int i) { return i == 0 ? "" : "key " + std::to_string(i); }

std::string FilterOf(const FilterOptions& options, int num_keys = kKeys) {
  std::vector<std::string> keys;
  for (int i = 0; i < num_keys; ++i) keys.push_back(KeyOf(i));
  return LevelDBFilter(options, {keys.begin(), keys.end()});
}

std::string With(std::string bytes, char code) {
  bytes.back() = code;
  return bytes;
}

template <typename MayMatch>
void ExpectMatches(int expected, MayMatch may_match) {
  int num_matches = 0;
  for (int i = 0; i < kQueries; ++i) {
    const bool matches = may_match(KeyOf(i));
    num_matches += matches ? 1 : 0;
    EXPECT_TRUE(matches || i >= expected) << "key " << i;
  }
  EXPECT_LE(num_matches, expected == kKeys ? kKeys + 10 : expected);
}

TEST(FilterBytesLevelDBTest, ThePolicyAndTheCommand) {
  constexpr int kAll = kQueries;
  const std::string own = kLevelDBBuiltinName, old = "leveldb.BuiltinBloomFilter";
  const std::string app = "app.bloomline";
  const FilterOptions seeded{Format::kBlocked, 10, /*seed=*/7};
  const std::string seed =
      std::unique_ptr<const leveldb::FilterPolicy>(NewLevelDBFilterPolicy(seeded, "app"))->Name();
  const std::string classic = FilterOf({Format::kClassic, 10});
  const std::string flat = FilterOf({Format::kBlocked, 10});
  const std::string set = FilterOf({Format::kCompact, 10});
  const std::string blocks(64 * 3, '\0');
  const char* const is_unknown = "which bloomline does not write";
  const Row kRows[] = {
      {own, "", 0, 0, "no keys", ""},
      {own, "\6", kAll, 0, "no keys", ""},
      {own, classic, kKeys, kKeys, "LevelDB Bloom", ""},
      {own, flat, kKeys, kKeys, "bloomline flat", ""},
      {own, set, kKeys, kKeys, "bloomline small set", ""},
      {own, blocks + '\xA5', 0, 0, "bloomline blocked", ""},
      {own, "\0\xFD"s, kAll, kAll, "matches every key", ""},
      {own, With(flat, '\0'), kAll, kAll, "matches every key", ""},
      {own, With(flat, '\x1F'), kAll, kAll, "unknown", is_unknown},
      {own, With(flat, '\x9E'), kAll, kAll, "unknown", is_unknown},
      {own, With(flat, '\xFF'), kAll, kAll, "unknown", is_unknown},
      {own, blocks + "x\xA5", kAll, kAll, "unknown", is_unknown},
      {own, blocks + "x\xE5", kAll, kAll, "unknown", "of 194 bytes with code 229"},
      {app, "", 0, 0, "no keys", ""},
      {app, "\6", kAll, kAll, "unknown", "a filter of 1 bytes with code 6"},
      {app, flat, kKeys, kKeys, "bloomline flat", ""},
      {old, "\6", kAll, 0, "no keys", ""},
      {old, classic, kKeys, kKeys, "LevelDB Bloom", ""},
      {old, flat, kKeys, kAll, "unknown", "which is reserved"},
      {seed, classic, kKeys, kKeys, "LevelDB Bloom", ""},
      {seed, FilterOf(seeded), kKeys, kAll, "bloomline flat", "have a seed"},
  };
  GuardedBytes guarded(4096);
  for (const Row& row : kRows) {
    const bool has_seed = row.name == seed;
    const std::unique_ptr<const leveldb::FilterPolicy> policy(
        has_seed ? NewLevelDBFilterPolicy(seeded, "app")
                 : NewLevelDBFilterPolicy({Format::kBlocked, 10}, row.name));
    for (const std::string_view bytes : {guarded.AtStart(row.bytes), guarded.AtEnd(row.bytes)}) {
      SCOPED_TRACE(testing::Message() << &row - kRows << ' ' << row.name << ' ' << row.layout);
      ExpectMatches(row.policy_matches, [&](const std::string& key) {
        return policy->KeyMayMatch(key, {bytes.data(), bytes.size()});
      });
      const EngineFilter filter =
          EngineFilter::Open(engine_filters::Container::kLevelDB, row.name, bytes);
      ExpectMatches(row.command_matches,
                    [&](const std::string& key) { return filter.MayMatch(key); });
      EXPECT_EQ(engine_filters::LayoutName(filter.layout), row.layout);
      EXPECT_EQ(filter.CanQuery(), row.why.empty());
      EXPECT_NE(filter.why.find(row.why), std::string::npos) << filter.why;
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::filter_bytes_leveldb_test
