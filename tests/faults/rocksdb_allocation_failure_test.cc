// RocksDB's filters of all formats, with each allocation of their building failing, alone or with
// all that follow. No filter lacks a key then: either it matches all keys, or std::bad_alloc leaves
// the builder before RocksDB has a filter. RocksDB does not catch it, so the process ends, at once
// if a function of the builder is noexcept. Nothing else may end it.
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tests/engines/rocksdb_settings.h"
#include "tests/faults/failing_new.h"

namespace bloomline::tests::rocksdb_allocation_failure_test {
namespace {

// How a process ends that builds a filter.
constexpr int kWhole = 10, kMatches = 11, kLacksKeys = 12, kThrew = 13;

// For std::terminate.
[[noreturn]] void ExitIfThrown() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    _exit(kThrew);
  } catch (...) {
  }
  std::abort();
}

int Build(rocksdb::FilterBitsBuilder* builder, const std::vector<std::string>& keys,
          const std::vector<Policy>& readers, const FailurePlan& plan) {
  Arm(plan, 0);
  std::unique_ptr<const char[]> buffer;
  rocksdb::Slice filter;
  try {
    for (const std::string& key : keys) builder->AddKey(key);
    filter = builder->Finish(&buffer);
  } catch (const std::bad_alloc&) {
    return kThrew;  // to RocksDB
  }
  const bool has_failed = Disarm().failed != 0;
  for (const Policy& policy : readers) {
    const Reader reader(policy->GetFilterBitsReader(filter));
    const auto matches = [&](const std::string& key) { return reader->MayMatch(key); };
    if (!std::all_of(keys.begin(), keys.end(), matches)) return kLacksKeys;
  }
  return has_failed ? kMatches : kWhole;
}

TEST(RocksDBAllocationFailureTest, NoFilterLacksAKey) {
  std::vector<std::string> keys;
  for (int i = 0; i < 20000; ++i) keys.push_back("key " + std::to_string(i));
  const Policy stock = PolicyOf("bloomfilter:10:false");
  for (const char* const format : {"blocked", "bloom", "ribbon"}) {
    const Policy policy = PolicyOf("{id=bloomline;format=" + std::string(format) + "}");
    for (const uint32_t version : {4U, 5U}) {
      rocksdb::BlockBasedTableOptions table;
      table.format_version = version;
      for (const bool all_after : {false, true}) {
        int end = 0;
        uint64_t first = 0;
        for (; end != kWhole; ++first) {
          SCOPED_TRACE(testing::Message() << format << ", allocation " << first + 1);
          ASSERT_LT(first, 1000u);
          const Builder builder = NewBuilder(policy, table);
          const pid_t child = fork();
          if (child == 0) {
            std::set_terminate(ExitIfThrown);
            _exit(Build(builder.get(), keys, {policy, stock}, {first + 1, all_after}));
          }
          int status = 0;
          ASSERT_EQ(waitpid(child, &status, 0), child);
          end = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
          EXPECT_TRUE(end == kWhole || end == kMatches || end == kThrew) << status;
        }
        EXPECT_GT(first, 2u);
      }
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_allocation_failure_test
