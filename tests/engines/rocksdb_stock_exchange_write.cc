// Writes RocksDB databases of five levels whose filters are RocksDB's own, by level, through
// bloomline: stock_exchange_write FOLDER. stock_exchange_read reads them without bloomline.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "tests/engines/five_levels.h"

namespace bloomline::tests {
namespace {

constexpr uint64_t kBottomKeys = 100000;
constexpr int kNumLevels = FiveLevels::kBottom + 1;  // from level 0 on

// Returns whether the database could be written.
bool Write(Format format, bool is_partitioned, const std::string& folder) {
  const std::string name = std::string(FormatName(format)) + (is_partitioned ? "_partitioned" : "");
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;  // the latest that all versions read
  table.optimize_filters_for_memory = false;
  if (is_partitioned) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  const rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(
      rocksdb::ConfigOptions(),
      std::string("{id=bloomline;format=") + FormatName(format) +
          ";bits_by_level=auto;num_levels=" + std::to_string(kNumLevels) + ";stock_id=true}",
      &policy);
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), status.ToString().c_str());
    return false;
  }
  FiveLevels database(folder + "/" + name, policy, kBottomKeys, table);
  EXPECT_EQ(database.CountLostKeys(), 0u) << name;
  return !testing::UnitTest::GetInstance()->Failed();
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  using bloomline::Format;
  if (argc != 2 || !std::filesystem::create_directory(argv[1]) || !bloomline::RegisterBloomline()) {
    std::fputs("usage: stock_exchange_write FOLDER, which does not exist yet\n", stderr);
    return 2;
  }
  bool is_written = true;
  for (const Format format : {Format::kBloom, Format::kRibbon}) {
    for (const bool is_partitioned : {false, true}) {
      is_written = bloomline::tests::Write(format, is_partitioned, argv[1]) && is_written;
    }
  }
  return is_written ? 0 : 1;
}
