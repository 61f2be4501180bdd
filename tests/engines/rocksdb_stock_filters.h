// Filters of RocksDB's own formats, built by RocksDB's policies and by bloomline's.
#ifndef BLOOMLINE_TESTS_ENGINES_ROCKSDB_STOCK_FILTERS_H_
#define BLOOMLINE_TESTS_ENGINES_ROCKSDB_STOCK_FILTERS_H_

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "tests/engines/rocksdb_settings.h"

namespace bloomline::tests {

inline std::shared_ptr<const rocksdb::FilterPolicy> Own(const std::string& text) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return policy;
}

inline std::shared_ptr<const rocksdb::FilterPolicy> Bloomline(Format format, double bits_per_key) {
  std::string error;
  std::shared_ptr<const rocksdb::FilterPolicy> policy =
      NewRocksDBFilterPolicy(Options(format, bits_per_key), &error);
  EXPECT_NE(policy, nullptr) << error;
  return policy;
}

// Longer keys end in bytes that are negative as signed ones, as RocksDB's older hash takes them.
inline std::string StockKey(uint64_t i, size_t num_bytes) {
  std::string key = std::to_string(i * 0x9e3779b97f4a7c15);
  key.resize(num_bytes, '\xe9');
  return key;
}

inline std::unique_ptr<rocksdb::FilterBitsBuilder> NewBuilder(
    const rocksdb::FilterPolicy& policy, const rocksdb::BlockBasedTableOptions& table) {
  const rocksdb::FilterBuildingContext context(table);
  return std::unique_ptr<rocksdb::FilterBitsBuilder>(policy.GetBuilderWithContext(context));
}

// A filter of num_keys keys of up to 40 bytes, some of them twice in a row, and with prefixes if
// RocksDB gives them to builders.
inline std::string Build(rocksdb::FilterBitsBuilder* builder, uint64_t num_keys) {
  for (uint64_t i = 0; i < num_keys; ++i) {
    const std::string key = StockKey(i, i % 41);
    builder->AddKey(key);
    if (i % 3 == 0) builder->AddKey(key);
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
    if (i % 7 < 3) builder->AddKeyAndAlt(key, key.substr(0, i / 7 % 4));
#endif
  }
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const rocksdb::Slice filter = builder->Finish(&buffer, &status);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(builder->MaybePostVerify(filter).ok());  // RocksDB's Ribbon builder needs it
  return filter.ToString();
}

struct StockCase {
  Format format;
  double bits_per_key;
  const char* own;
};

inline constexpr StockCase kStockCases[] = {
    {Format::kBloom, 1, "bloomfilter:1:false"},
    {Format::kBloom, 5.55, "bloomfilter:5.55:false"},
    {Format::kBloom, 10, "bloomfilter:10:false"},
    {Format::kBloom, 14.001, "bloomfilter:14.001:false"},
    {Format::kBloom, 23.7, "bloomfilter:23.7:false"},
    {Format::kBloom, 60, "bloomfilter:60:false"},
    {Format::kRibbon, 5, "ribbonfilter:5:-1"},
    {Format::kRibbon, 10, "ribbonfilter:10:-1"},
    {Format::kRibbon, 20.5, "ribbonfilter:20.5:-1"},
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_ROCKSDB_STOCK_FILTERS_H_
