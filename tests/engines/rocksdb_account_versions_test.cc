// Objects of another version of bloomline, which a process may have in a program and in a library:
// no function of this version runs on them.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>

#include "bloomline/filter_account.h"
#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "tests/engines/accounted_database.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

TEST(RocksDBAccountVersionsTest, AnotherAccountIsNotTaken) {
  class Other : public rocksdb::EventListener {
   public:
    const char* Name() const override { return FilterAccount::kClassName(); }
  };
  const TempDir dir;
  RocksDBFilterOptions filter;
  filter.memory_bytes = 100000;
  AccountedDatabase database(dir.Path("db"), nullptr, filter);
  database.options().listeners = {std::make_shared<Other>()};
  ASSERT_EQ(AccountAmong(database.options()), nullptr);
  ASSERT_TRUE(database.Open().ok());
  database.Fill(0, 1000);
  std::string error;
  EXPECT_TRUE(RewriteFilters(database.db(), database.handles()[0], {}, nullptr, &error)) << error;
  const auto account = NewFilterAccount();
  database.options().listeners.push_back(account);
  EXPECT_EQ(AccountAmong(database.options()), account.get());
}

}  // namespace
}  // namespace bloomline::tests
