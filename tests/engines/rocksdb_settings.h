// Options of a RocksDB policy, set and read back.
#ifndef BLOOMLINE_TESTS_ENGINES_ROCKSDB_SETTINGS_H_
#define BLOOMLINE_TESTS_ENGINES_ROCKSDB_SETTINGS_H_

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <string>

#include "bloomline/filter_options.h"

namespace bloomline::tests {

// Since 9.8, RocksDB's SetOptions makes a new policy from the old one's options and the changes. If
// the policy refuses those, SetOptions returns OK, and the new policy has the defaults.
constexpr bool kSetOptionsMakesANewPolicy = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 908;

inline FilterOptions Options(Format format, double bits_per_key) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  return options;
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

// After testing::internal::CaptureStderr().
inline std::string TakeStderr() {
  std::fflush(stderr);
  return testing::internal::GetCapturedStderr();
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_ROCKSDB_SETTINGS_H_
