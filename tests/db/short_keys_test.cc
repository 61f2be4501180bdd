// The empty key and short ones, in databases that RocksDB writes with bloomline's policy, and in
// copies that `bloomline db rewrite` gives new filters. RocksDB finds all of them with bloomline's
// readers and with its own.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/tool_run.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::short_keys_test {
namespace {

struct Case {
  const char* name;
  uint32_t format_version;
  const char* prefixes = "";  // capped:3 gives the empty key an empty prefix, fixed:1 none
  bool whole_keys = true;
  bool is_partitioned = false;

  rocksdb::Options ToOptions(const Policy& policy) const {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy;
    table.format_version = format_version;
    table.whole_key_filtering = whole_keys;
    table.block_size = 256;
    if (is_partitioned) PartitionFilters(2000, &table);
    rocksdb::Options options = WithTable(table);
    options.disable_auto_compactions = true;
    if (*prefixes != '\0') {
      EXPECT_TRUE(
          rocksdb::SliceTransform::CreateFromString({}, prefixes, &options.prefix_extractor).ok());
    }
    return options;
  }
};

constexpr Case kCases[] = {
    {"Keys", 5},
    {"LegacyKeys", 4},
    {"KeysAndPrefixes", 5, "capped:3"},
    {"LegacyPrefixes", 4, "capped:3", false},
    {"PartitionedPrefixes", 5, "capped:3", false, true},
    {"PartitionedKeysAndPrefixes", 5, "fixed:1", true, true},
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

using Keys = std::vector<std::string>;

// By Get, MultiGet, and iterators over the keys of a prefix.
void ExpectFound(const std::string& path, const rocksdb::Options& options, const Keys& keys) {
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(OpenRocksDBReadOnly(options, path, &db).ok());
  rocksdb::ReadOptions with_prefixes;
  with_prefixes.prefix_same_as_start = options.prefix_extractor != nullptr;
  const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(with_prefixes));
  std::string value;
  for (const std::string& key : keys) {
    ASSERT_TRUE(db->Get({}, key, &value).ok()) << key.size() << " bytes: " << key;
    const auto& extractor = options.prefix_extractor;
    if (extractor != nullptr && !extractor->InDomain(key)) continue;
    iterator->Seek(key);
    ASSERT_TRUE(iterator->Valid() && iterator->key() == key) << key.size() << " bytes: " << key;
  }
  std::vector<std::string> values;
  for (const auto& status : db->MultiGet({}, {keys.begin(), keys.end()}, &values)) {
    ASSERT_TRUE(status.ok());
  }
}

class ShortKeysTest : public testing::TestWithParam<Case> {};

TEST_P(ShortKeysTest, AreFound) {
  const Policy stock = PolicyOf("bloomfilter:10:false");
  Keys many;  // enough for a Ribbon filter
  for (size_t n = 0; n <= 20; ++n) many.emplace_back(n, 'k');
  for (int i = 0; i < 1000; ++i) many.push_back("m" + std::to_string(10000 + i));
  for (const std::string format : {"blocked", "bloom", "ribbon"}) {
    if (format == "blocked" && GetParam().format_version < 5) continue;
    const Policy policy = PolicyOf("{id=bloomline;format=" + format + "}");
    for (const Keys& keys : {Keys{""}, many}) {
      SCOPED_TRACE(format + ", keys: " + std::to_string(keys.size()));
      const TempDir dir;
      const std::string written = dir.Path("written"), rewritten = dir.Path("rewritten");
      const std::string without = dir.Path("without");  // filters
      for (const std::string& path : {written, without}) {
        const Policy writer = path == written ? policy : nullptr;
        const auto db = MustOpenRocksDB(GetParam().ToOptions(writer), path);
        for (const std::string& key : keys) ASSERT_TRUE(db->Put({}, key, "value").ok());
        ASSERT_TRUE(db->Flush({}).ok());
      }
      MustOpenRocksDB(GetParam().ToOptions(policy), without);  // its OPTIONS name a policy now
      const ToolRun run =
          RunTool("db rewrite --untested-version --policy '{id=bloomline;format=" + format +
                      "}' '" + without + "'",
                  rewritten);
      ASSERT_EQ(run.exit_code, 0) << run.text;
      for (const std::string& path : {written, rewritten}) {
        SCOPED_TRACE(path);
        const ToolRun kinds = RunTool("db inspect --require " + format, path);
        EXPECT_EQ(kinds.exit_code, 0) << kinds.text;
        const ToolRun verified = RunTool("db verify", path);
        EXPECT_EQ(verified.exit_code, 0) << verified.text;
        for (const Policy& reader : {policy, stock}) {
          ExpectFound(path, GetParam().ToOptions(reader), keys);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ShortKeysTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bloomline::tests::short_keys_test
