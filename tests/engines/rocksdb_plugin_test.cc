// A RocksDB that was built with bloomline as its plugin calls bloomline_rocksdb_plugin while it
// makes its registry, which anything that parses options needs. An installed RocksDB has no plugin,
// so this program adds it to RocksDB's list.
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/status.h"
#define private public  // ObjectRegistry::builtins_
#include "rocksdb/utilities/object_registry.h"
#undef private

#include <gtest/gtest.h>

#include "bloomline/rocksdb.h"
#include "rocksdb/filter_policy.h"

namespace bloomline {
namespace {

// In its own process, and first: the registry is made once.
TEST(RocksDBPluginTest, IsCalledWhileRocksDBMakesItsRegistry) {
  rocksdb::ObjectRegistry::builtins_["bloomline"] = bloomline_rocksdb_plugin;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  EXPECT_TRUE(rocksdb::FilterPolicy::CreateFromString(config, "bloomline:10", &policy).ok());
  ASSERT_NE(policy, nullptr);
  EXPECT_STREQ(policy->Name(), "bloomline");
}

}  // namespace
}  // namespace bloomline
