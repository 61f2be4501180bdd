// Filters in LevelDB's filter blocks, built by LevelDB and by bloomline: the answer to every key is
// that of the policy that reads them.
#include <gtest/gtest.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "src/db/engine_filters/engine_filter.h"
#include "tests/db/engine_filter_checks.h"

namespace bloomline::engine_filters::engine_filters_leveldb_test {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

std::string Build(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string bytes;
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &bytes);
  return bytes;
}

struct Filter {
  const char* name;
  bool by_leveldb;
  Format format;
  double bits_per_key;
};
void PrintTo(const Filter& filter, std::ostream* out) { *out << filter.name; }

constexpr Filter kFilters[] = {
    {"leveldb1", true, Format::kClassic, 1},    {"leveldb10", true, Format::kClassic, 10},
    {"leveldb50", true, Format::kClassic, 50},  {"classic", false, Format::kClassic, 12.5},
    {"blocked6", false, Format::kBlocked, 6},   {"blocked10", false, Format::kBlocked, 10},
    {"compact4", false, Format::kCompact, 4},   {"compact10", false, Format::kCompact, 10},
    {"compact16", false, Format::kCompact, 16},
};

Policy PolicyOf(const Filter& filter) {
  if (filter.by_leveldb) {
    return Policy(leveldb::NewBloomFilterPolicy(static_cast<int>(filter.bits_per_key)));
  }
  FilterOptions options;
  options.format = filter.format;
  options.bits_per_key = filter.bits_per_key;
  return Policy(NewLevelDBFilterPolicy(options));
}

class EngineFiltersLevelDBTest : public testing::TestWithParam<Filter> {
 protected:
  const Policy policy_ = PolicyOf(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Filters, EngineFiltersLevelDBTest, testing::ValuesIn(kFilters),
                         [](const auto& info) { return info.param.name; });

TEST_P(EngineFiltersLevelDBTest, AnswersAsThePolicyDoes) {
  ExpectAnswersOfEngine(
      Container::kLevelDB,
      [&](const std::vector<std::string>& keys) { return Build(*policy_, keys); },
      [&](const std::string& bytes) {
        return [&](std::string_view key) {
          return policy_->KeyMayMatch({key.data(), key.size()}, bytes);
        };
      },
      [](const EngineFilter& filter, size_t n) {
        const bool is_classic = GetParam().format == Format::kClassic;
        EXPECT_TRUE(n == 0 || (filter.kind == Kind::kClassic) == is_classic);
      });
}

}  // namespace
}  // namespace bloomline::engine_filters::engine_filters_leveldb_test
