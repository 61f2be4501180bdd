// The one rule for `std::string* error` in public headers: it may be null, gets one sentence when
// the function fails, and is left alone when it succeeds.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/cpu.h"
#include "bloomline/on_disk_filter_builder.h"
#include "bloomline/scalable_bloom_filter.h"
#include "bloomline/seed.h"
#include "tests/support/case_folding.h"
#include "tests/support/declared_functions.h"
#include "tests/support/injected_entropy.h"
#include "tests/support/temp_dir.h"
#ifdef BLOOMLINE_TEST_LEVELDB
#include "bloomline/leveldb.h"
#endif
#ifdef BLOOMLINE_TEST_ROCKSDB
#include "bloomline/rocksdb.h"
#endif
#ifdef BLOOMLINE_TEST_REDIS
#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_server.h"
#endif

namespace bloomline {
namespace {

using Call = std::function<bool(std::string* error)>;

struct Function {
  std::string name;
  Call succeeds;
  Call fails;  // none: it fails out of memory alone, which tests/allocation_failure tries
};

const tests::TempDir& Dir() {
  static const tests::TempDir dir;
  return dir;
}

BloomFilterOptions Bloom(uint64_t capacity) {
  BloomFilterOptions options;
  options.capacity = capacity;
  return options;
}

CountingBloomFilterOptions Counting(uint64_t capacity) {
  CountingBloomFilterOptions options;
  options.capacity = capacity;
  return options;
}

std::unique_ptr<BloomFilter> NewBloom(uint64_t capacity) {
  return BloomFilter::Create(Bloom(capacity), nullptr);
}

std::unique_ptr<CountingBloomFilter> NewCounting(uint64_t capacity) {
  return CountingBloomFilter::Create(Counting(capacity), nullptr);
}

std::unique_ptr<ScalableBloomFilter> NewScalable() {
  return ScalableBloomFilter::Create(ScalableBloomFilterOptions(), nullptr);
}

OnDiskFilterOptions Partitioned() {
  OnDiskFilterOptions options;
  options.temp_directory = Dir().Path("");
  options.memory_bytes = kMinOnDiskMemoryPerThread;
  options.filter.random_seed = true;
  return options;
}

std::unique_ptr<OnDiskFilterBuilder> NewPartitioned() {
  return OnDiskFilterBuilder::Create(Partitioned(), nullptr);
}

// A file that `filter` was saved to.
template <typename Filter>
std::string Saved(const Filter& filter, const std::string& name) {
  EXPECT_TRUE(filter->Save(Dir().Path(name), nullptr));
  return Dir().Path(name);
}

const std::string& Missing() {
  static const std::string path = Dir().Path("missing/file");
  return path;
}

constexpr auto kHeader = MappedBloomFilter::Verify::kHeader;

std::vector<Function> CoreFunctions() {
  return {
      {"DrawSeed",
       [](std::string* error) {
         uint64_t seed;
         return DrawSeed(&seed, error);
       },
       [](std::string* error) {
         const tests::InjectedEntropy failing;
         uint64_t seed;
         return DrawSeed(&seed, error);
       }},
      {"ForceKernel", [](std::string* error) { return ForceKernel(ActiveKernelName(), error); },
       [](std::string* error) { return ForceKernel("none", error); }},
      {"OnDiskFilterBuilder::Create",
       [](std::string* error) {
         return OnDiskFilterBuilder::Create(Partitioned(), error) != nullptr;
       },
       [](std::string* error) {
         OnDiskFilterOptions options = Partitioned();
         options.temp_directory = Missing();
         return OnDiskFilterBuilder::Create(options, error) != nullptr;
       }},
      {"OnDiskFilterBuilder::AddKey",
       [](std::string* error) { return NewPartitioned()->AddKey("key", error); },
       [](std::string* error) {
         const auto builder = NewPartitioned();
         const tests::InjectedEntropy failing;  // so the next filter gets no seed
         EXPECT_TRUE(builder->Finish(Dir().Path("first"), nullptr));
         return builder->AddKey("key", error);
       }},
      {"OnDiskFilterBuilder::AddKeys",
       [](std::string* error) {
         const std::string_view key = "key";
         return NewPartitioned()->AddKeys(1, &key, error);
       },
       [](std::string* error) {
         const auto builder = NewPartitioned();
         const tests::InjectedEntropy failing;
         EXPECT_TRUE(builder->Finish(Dir().Path("first"), nullptr));
         return builder->AddKeys(std::vector<int>{1, 2}, error);
       }},
      {"OnDiskFilterBuilder::Finish",
       [](std::string* error) { return NewPartitioned()->Finish(Dir().Path("filter"), error); },
       [](std::string* error) { return NewPartitioned()->Finish(Missing(), error); }},
  };
}

std::vector<Function> BloomFunctions() {
  return {
      {"BloomFilter::Create",
       [](std::string* error) { return BloomFilter::Create(Bloom(10), error) != nullptr; },
       [](std::string* error) { return BloomFilter::Create(Bloom(0), error) != nullptr; }},
      {"BloomFilter::Copy",
       [](std::string* error) { return BloomFilter::Copy(*NewBloom(10), error) != nullptr; },
       nullptr},
      {"BloomFilter::Load",
       [](std::string* error) {
         return BloomFilter::Load(Saved(NewBloom(10), "bloom"), error) != nullptr;
       },
       [](std::string* error) { return BloomFilter::Load(Missing(), error) != nullptr; }},
      {"BloomFilter::Merge",
       [](std::string* error) { return NewBloom(10)->Merge(*NewBloom(10), error); },
       [](std::string* error) { return NewBloom(10)->Merge(*NewBloom(1000), error); }},
      {"BloomFilter::Intersect",
       [](std::string* error) { return NewBloom(10)->Intersect(*NewBloom(10), error); },
       [](std::string* error) { return NewBloom(10)->Intersect(*NewBloom(1000), error); }},
      {"BloomFilterBase::Save",
       [](std::string* error) { return NewBloom(10)->Save(Dir().Path("bloom"), error); },
       [](std::string* error) { return NewBloom(10)->Save(Missing(), error); }},
      {"BloomFilterBase::ToBytes",
       [](std::string* error) {
         std::string bytes;
         return NewBloom(10)->ToBytes(&bytes, error);
       },
       nullptr},
      {"BloomFilter::Load",
       [](std::string* error) {
         std::stringstream stream;
         EXPECT_TRUE(NewBloom(10)->Save(&stream, nullptr));
         return BloomFilter::Load(&stream, error) != nullptr;
       },
       [](std::string* error) {
         std::stringstream empty;
         return BloomFilter::Load(&empty, error) != nullptr;
       }},
      {"BloomFilterBase::Save",
       [](std::string* error) {
         std::stringstream stream;
         return NewBloom(10)->Save(&stream, error);
       },
       [](std::string* error) {
         std::stringstream failed;
         failed.setstate(std::ios::failbit);
         return NewBloom(10)->Save(&failed, error);
       }},
      {"BloomFilter::FromBytes",
       [](std::string* error) {
         std::string bytes;
         EXPECT_TRUE(NewBloom(10)->ToBytes(&bytes, nullptr));
         return BloomFilter::FromBytes(bytes, error) != nullptr;
       },
       [](std::string* error) { return BloomFilter::FromBytes("no filter", error) != nullptr; }},
      {"MappedBloomFilter::Open",
       [](std::string* error) {
         return MappedBloomFilter::Open(Saved(NewBloom(10), "bloom"), kHeader, error) != nullptr;
       },
       [](std::string* error) {
         return MappedBloomFilter::Open(Missing(), kHeader, error) != nullptr;
       }},
      {"AtomicBloomFilter::Create",
       [](std::string* error) { return AtomicBloomFilter::Create(Bloom(10), error) != nullptr; },
       [](std::string* error) { return AtomicBloomFilter::Create(Bloom(0), error) != nullptr; }},
      {"AtomicBloomFilter::Snapshot",
       [](std::string* error) {
         return AtomicBloomFilter::Create(Bloom(10), nullptr)->Snapshot(error) != nullptr;
       },
       nullptr},
      {"ScalableBloomFilter::Create",
       [](std::string* error) {
         return ScalableBloomFilter::Create(ScalableBloomFilterOptions(), error) != nullptr;
       },
       [](std::string* error) {
         ScalableBloomFilterOptions options;
         options.growth = 0;
         return ScalableBloomFilter::Create(options, error) != nullptr;
       }},
      {"ScalableBloomFilter::Load",
       [](std::string* error) {
         return ScalableBloomFilter::Load(Saved(NewScalable(), "scalable"), error) != nullptr;
       },
       [](std::string* error) { return ScalableBloomFilter::Load(Missing(), error) != nullptr; }},
      {"ScalableBloomFilter::Save",
       [](std::string* error) { return NewScalable()->Save(Dir().Path("scalable"), error); },
       [](std::string* error) { return NewScalable()->Save(Missing(), error); }},
      {"ScalableBloomFilter::ToBytes",
       [](std::string* error) {
         std::string bytes;
         return NewScalable()->ToBytes(&bytes, error);
       },
       nullptr},
      {"ScalableBloomFilter::Load",
       [](std::string* error) {
         std::stringstream stream;
         EXPECT_TRUE(NewScalable()->Save(&stream, nullptr));
         return ScalableBloomFilter::Load(&stream, error) != nullptr;
       },
       [](std::string* error) {
         std::stringstream empty;
         return ScalableBloomFilter::Load(&empty, error) != nullptr;
       }},
      {"ScalableBloomFilter::Save",
       [](std::string* error) {
         std::stringstream stream;
         return NewScalable()->Save(&stream, error);
       },
       [](std::string* error) {
         std::stringstream failed;
         failed.setstate(std::ios::failbit);
         return NewScalable()->Save(&failed, error);
       }},
      {"ScalableBloomFilter::FromBytes",
       [](std::string* error) {
         std::string bytes;
         EXPECT_TRUE(NewScalable()->ToBytes(&bytes, nullptr));
         return ScalableBloomFilter::FromBytes(bytes, error) != nullptr;
       },
       [](std::string* error) {
         return ScalableBloomFilter::FromBytes("no filter", error) != nullptr;
       }},
      {"CountingBloomFilter::Create",
       [](std::string* error) {
         return CountingBloomFilter::Create(Counting(10), error) != nullptr;
       },
       [](std::string* error) {
         return CountingBloomFilter::Create(Counting(0), error) != nullptr;
       }},
      {"CountingBloomFilter::Load",
       [](std::string* error) {
         return CountingBloomFilter::Load(Saved(NewCounting(10), "counting"), error) != nullptr;
       },
       [](std::string* error) { return CountingBloomFilter::Load(Missing(), error) != nullptr; }},
      {"CountingBloomFilter::Save",
       [](std::string* error) { return NewCounting(10)->Save(Dir().Path("counting"), error); },
       [](std::string* error) { return NewCounting(10)->Save(Missing(), error); }},
      {"CountingBloomFilter::Merge",
       [](std::string* error) { return NewCounting(10)->Merge(*NewCounting(10), error); },
       [](std::string* error) { return NewCounting(10)->Merge(*NewCounting(1000), error); }},
      {"CountingBloomFilter::ToBytes",
       [](std::string* error) {
         std::string bytes;
         return NewCounting(10)->ToBytes(&bytes, error);
       },
       nullptr},
      {"CountingBloomFilter::Load",
       [](std::string* error) {
         std::stringstream stream;
         EXPECT_TRUE(NewCounting(10)->Save(&stream, nullptr));
         return CountingBloomFilter::Load(&stream, error) != nullptr;
       },
       [](std::string* error) {
         std::stringstream empty;
         return CountingBloomFilter::Load(&empty, error) != nullptr;
       }},
      {"CountingBloomFilter::Save",
       [](std::string* error) {
         std::stringstream stream;
         return NewCounting(10)->Save(&stream, error);
       },
       [](std::string* error) {
         std::stringstream failed;
         failed.setstate(std::ios::failbit);
         return NewCounting(10)->Save(&failed, error);
       }},
      {"CountingBloomFilter::FromBytes",
       [](std::string* error) {
         std::string bytes;
         EXPECT_TRUE(NewCounting(10)->ToBytes(&bytes, nullptr));
         return CountingBloomFilter::FromBytes(bytes, error) != nullptr;
       },
       [](std::string* error) {
         return CountingBloomFilter::FromBytes("no filter", error) != nullptr;
       }},
      {"CountingBloomFilter::ToBloomFilter",
       [](std::string* error) { return NewCounting(10)->ToBloomFilter(error) != nullptr; },
       nullptr},
  };
}

std::vector<Function> EngineFunctions() {
  FilterOptions invalid;
  invalid.bits_per_key = -1;
  return {
#ifdef BLOOMLINE_TEST_LEVELDB
      {"NewLevelDBFilterPolicy",
       [](std::string* error) {
         const std::unique_ptr<const leveldb::FilterPolicy> policy(
             NewLevelDBFilterPolicy(FilterOptions(), kLevelDBBuiltinName, error));
         return policy != nullptr;
       },
       [=](std::string* error) {
         return NewLevelDBFilterPolicy(invalid, kLevelDBBuiltinName, error) != nullptr;
       }},
#endif
#ifdef BLOOMLINE_TEST_ROCKSDB
      {"NewRocksDBFilterPolicy",
       [](std::string* error) { return NewRocksDBFilterPolicy(FilterOptions(), error) != nullptr; },
       [=](std::string* error) { return NewRocksDBFilterPolicy(invalid, error) != nullptr; }},
      {"RegisterKeyCanonicalizer",
       [](std::string* error) {
         return RegisterKeyCanonicalizer(tests::CaseFolding::Named("test.ErrorStyle"), error);
       },
       [](std::string* error) { return RegisterKeyCanonicalizer(nullptr, error); }},
      {"NewRocksDBFilterPolicy",
       [](std::string* error) {
         return NewRocksDBFilterPolicy(RocksDBFilterOptions(), error) != nullptr;
       },
       [=](std::string* error) {
         return NewRocksDBFilterPolicy(RocksDBFilterOptions(invalid), error) != nullptr;
       }},
#endif
  };
}

[[maybe_unused]] std::vector<Function> RedisFunctions() {
#ifdef BLOOMLINE_TEST_REDIS
  static const tests::RedisServer server;
  RedisServers here;
  here.servers = {server.address()};
  RedisServers nowhere;
  nowhere.servers = {"127.0.0.1:" + std::to_string(tests::RedisServer::FreePort())};
  nowhere.max_retries = 0;
  SharedBloomFilterOptions options;
  options.capacity = 1000;
  const auto create = [=](const RedisServers& servers) {
    return [=](std::string* error) {
      return SharedBloomFilter::Create(servers, "filter", options, error) != nullptr;
    };
  };
  const auto open = [=](const RedisServers& servers) {
    return [=](std::string* error) {
      SharedBloomFilter::Create(servers, "filter", options, nullptr);
      return SharedBloomFilter::Open(servers, "filter", error) != nullptr;
    };
  };
  const auto remove = [](const RedisServers& servers) {
    return [=](std::string* error) { return SharedBloomFilter::Delete(servers, "filter", error); };
  };
  return {{"SharedBloomFilter::Create", create(here), create(nowhere)},
          {"SharedBloomFilter::Open", open(here), open(nowhere)},
          {"SharedBloomFilter::Delete", remove(here), remove(nowhere)}};
#else
  return {};
#endif
}

void ExpectTheRule(const std::vector<Function>& functions) {
  const std::string untouched = "what was there before";
  for (const Function& function : functions) {
    SCOPED_TRACE(function.name);
    std::string error = untouched;
    EXPECT_TRUE(function.succeeds(&error)) << error;
    EXPECT_EQ(error, untouched) << "after success";
    EXPECT_TRUE(function.succeeds(nullptr));
    if (function.fails == nullptr) continue;
    EXPECT_FALSE(function.fails(&error));
    EXPECT_NE(error, untouched) << "after failure";
    EXPECT_NE(error, "");
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_FALSE(function.fails(nullptr));
  }
}

TEST(ErrorStyleTest, CoreFunctionsFollowTheRule) { ExpectTheRule(CoreFunctions()); }

TEST(ErrorStyleTest, BloomFiltersFollowTheRule) { ExpectTheRule(BloomFunctions()); }

TEST(ErrorStyleTest, EnginesFollowTheRule) { ExpectTheRule(EngineFunctions()); }

#ifdef BLOOMLINE_TEST_REDIS
TEST(ErrorStyleTest, RedisFollowsTheRule) {
  if (!tests::RedisServer::IsInstalled()) GTEST_SKIP() << "no redis-server";
  ExpectTheRule(RedisFunctions());
}
#endif

TEST(ErrorStyleTest, EveryFunctionOfThePublicHeadersIsTested) {
  const std::string parameter = "std::string* error";
  std::set<std::string> tried;
  for (const auto& functions : {CoreFunctions(), BloomFunctions(), EngineFunctions()}) {
    for (const Function& function : functions) tried.insert(function.name);
  }
  std::vector<std::string> headers = {"atomic_bloom_filter.h",
                                      "bloom_filter.h",
                                      "counting_bloom_filter.h",
                                      "cpu.h",
                                      "filter.h",
                                      "filter_options.h",
                                      "filter_theory.h",
                                      "level_sizing.h",
                                      "on_disk_filter_builder.h",
                                      "scalable_bloom_filter.h",
                                      "seed.h",
                                      "sizing.h"};
#ifdef BLOOMLINE_TEST_LEVELDB
  headers.push_back("leveldb.h");
#endif
#ifdef BLOOMLINE_TEST_ROCKSDB
  headers.push_back("rocksdb.h");
#endif
  std::set<std::string> declared;
  for (const std::string& header : headers)
    declared.merge(tests::DeclaredFunctionsWith(parameter, header));
  EXPECT_EQ(declared, tried);
  EXPECT_EQ(tests::DeclaredFunctionsWith(parameter, "redis_bloom_filter.h"),
            (std::set<std::string>{"SharedBloomFilter::Create", "SharedBloomFilter::Delete",
                                   "SharedBloomFilter::Open"}));
}

}  // namespace
}  // namespace bloomline
