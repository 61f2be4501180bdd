// Policies and their options, set and read back, and filters that a policy builds without a
// database.
#ifndef BLOOMLINE_TESTS_ENGINES_ROCKSDB_SETTINGS_H_
#define BLOOMLINE_TESTS_ENGINES_ROCKSDB_SETTINGS_H_

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"

namespace bloomline::tests {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

// Since 9.8, RocksDB's SetOptions makes a new policy from the old one's options and the changes. If
// the policy refuses those, SetOptions returns OK, and the new policy writes RocksDB's own filters.
constexpr bool kSetOptionsMakesANewPolicy = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 908;

// The policy that an option string names.
inline Policy PolicyOf(const std::string& text) {
  EXPECT_TRUE(RegisterBloomline());
  Policy policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return policy;
}

inline Policy PolicyOf(const rocksdb::ColumnFamilyOptions& options) {
  return options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy;
}

// Whether DB::Open fails with the policy.
inline bool IsRefused(const rocksdb::FilterPolicy& policy) {
  return !policy.ValidateOptions(rocksdb::DBOptions(), rocksdb::ColumnFamilyOptions()).ok();
}

// The options in the OPTIONS file of a database of one family.
inline rocksdb::Options LoadOptions(const std::string& path) {
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  EXPECT_TRUE(rocksdb::LoadLatestOptions({}, path, &db_options, &families).ok());
  return rocksdb::Options(db_options, families.at(0).options);
}

using Builder = std::unique_ptr<rocksdb::FilterBitsBuilder>;
using Reader = std::unique_ptr<rocksdb::FilterBitsReader>;

inline Builder NewBuilder(const Policy& policy, const rocksdb::BlockBasedTableOptions& table = {}) {
  return Builder(policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
}

inline std::string Finished(rocksdb::FilterBitsBuilder* builder) {
  std::unique_ptr<const char[]> buffer;
  return builder->Finish(&buffer).ToString();
}

inline std::string Value(const rocksdb::FilterPolicy& policy, const char* name) {
  std::string value;
  const rocksdb::Status status = policy.GetOption(rocksdb::ConfigOptions(), name, &value);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return value;
}

// "FORMAT BITS_PER_KEY SEED"
inline std::string Settings(const rocksdb::FilterPolicy& policy) {
  return Value(policy, "format") + " " + Value(policy, "bits_per_key") + " " +
         Value(policy, "seed");
}

inline int CountOf(const std::string& part, const std::string& text) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++count;
  return count;
}

// After testing::internal::CaptureStderr().
inline std::string TakeStderr() {
  std::fflush(stderr);
  return testing::internal::GetCapturedStderr();
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_ROCKSDB_SETTINGS_H_
