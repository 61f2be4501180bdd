// Convention 3 of c.h: *errptr is unchanged when a function succeeds; when it fails, the old
// message is freed and *errptr is a new one. That the old one is freed, AddressSanitizer checks.
// Who does not want the message gives a null errptr.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bloomline/c.h"
#include "tests/support/declared_functions.h"
#include "tests/support/injected_entropy.h"
#include "tests/support/temp_dir.h"
#ifdef BLOOMLINE_TEST_LEVELDB
#include "bloomline/c_leveldb.h"
#endif
#ifdef BLOOMLINE_TEST_ROCKSDB
#include "bloomline/c_rocksdb.h"
#endif
#ifdef BLOOMLINE_TEST_REDIS
#include "bloomline/c_redis.h"
#include "tests/redis/redis_server.h"
#endif

namespace bloomline {
namespace {

using Call = std::function<bool(char** errptr)>;

struct Function {
  std::string name;
  Call succeeds;
  Call fails;  // none: it fails out of memory alone, which tests/allocation_failure tries
};

template <typename T>
using Handle = std::unique_ptr<T, void (*)(T*)>;

std::string Path(const std::string& name) {
  static const tests::TempDir dir;
  return dir.Path(name);
}

bool IsMade(const bloomline_bloom_t* bloom) {
  bloomline_bloom_destroy(bloom);
  return bloom != nullptr;
}

bool IsMade(bloomline_counting_t* counting) {
  bloomline_counting_destroy(counting);
  return counting != nullptr;
}

bool IsMade(bloomline_atomic_t* atomic) {
  bloomline_atomic_destroy(atomic);
  return atomic != nullptr;
}

bool IsMade(bloomline_scalable_t* scalable) {
  bloomline_scalable_destroy(scalable);
  return scalable != nullptr;
}

bool IsMade(bloomline_ondisk_t* partitioned) {
  bloomline_ondisk_destroy(partitioned);
  return partitioned != nullptr;
}

bloomline_bloom_t* CreateBloom(uint64_t capacity, char** errptr) {
  const Handle<bloomline_bloomoptions_t> options(bloomline_bloomoptions_create(),
                                                 bloomline_bloomoptions_destroy);
  bloomline_bloomoptions_set_capacity(options.get(), capacity);
  return bloomline_bloom_create(options.get(), errptr);
}

bloomline_counting_t* CreateCounting(uint64_t capacity, char** errptr) {
  const Handle<bloomline_countingoptions_t> options(bloomline_countingoptions_create(),
                                                    bloomline_countingoptions_destroy);
  bloomline_countingoptions_set_capacity(options.get(), capacity);
  return bloomline_counting_create(options.get(), errptr);
}

bloomline_atomic_t* CreateAtomic(uint64_t capacity, char** errptr) {
  const Handle<bloomline_bloomoptions_t> options(bloomline_bloomoptions_create(),
                                                 bloomline_bloomoptions_destroy);
  bloomline_bloomoptions_set_capacity(options.get(), capacity);
  return bloomline_atomic_create(options.get(), errptr);
}

bloomline_scalable_t* CreateScalable(int growth, char** errptr) {
  const Handle<bloomline_scalableoptions_t> options(bloomline_scalableoptions_create(),
                                                    bloomline_scalableoptions_destroy);
  bloomline_scalableoptions_set_growth(options.get(), growth);
  return bloomline_scalable_create(options.get(), errptr);
}

bloomline_ondisk_t* CreatePartitioned(uint64_t memory_bytes, char** errptr) {
  const Handle<bloomline_ondiskoptions_t> options(bloomline_ondiskoptions_create(),
                                                  bloomline_ondiskoptions_destroy);
  bloomline_ondiskoptions_set_memory_bytes(options.get(), memory_bytes);
  EXPECT_TRUE(bloomline_ondiskoptions_set_temp_directory(options.get(), Path("").c_str()));
  return bloomline_ondisk_create(options.get(), errptr);
}

using BloomHandle = std::unique_ptr<bloomline_bloom_t, void (*)(const bloomline_bloom_t*)>;

BloomHandle Bloom(uint64_t capacity = 10) {
  char* error = nullptr;
  return BloomHandle(CreateBloom(capacity, &error), bloomline_bloom_destroy);
}

Handle<bloomline_counting_t> Counting(uint64_t capacity = 10) {
  char* error = nullptr;
  return {CreateCounting(capacity, &error), bloomline_counting_destroy};
}

Handle<bloomline_atomic_t> Atomic() {
  char* error = nullptr;
  return {CreateAtomic(10, &error), bloomline_atomic_destroy};
}

Handle<bloomline_scalable_t> Scalable() {
  char* error = nullptr;
  return {CreateScalable(2, &error), bloomline_scalable_destroy};
}

Handle<bloomline_ondisk_t> Partitioned() {
  char* error = nullptr;
  return {CreatePartitioned(1 << 20, &error), bloomline_ondisk_destroy};
}

std::string SavedScalable() {
  char* error = nullptr;
  EXPECT_TRUE(bloomline_scalable_save(Scalable().get(), Path("scalable").c_str(), &error));
  return Path("scalable");
}

bool IsValid(double bits_per_key, char** errptr) {
  const Handle<bloomline_filteroptions_t> options(bloomline_filteroptions_create(),
                                                  bloomline_filteroptions_destroy);
  bloomline_filteroptions_set_bits_per_key(options.get(), bits_per_key);
  return bloomline_filteroptions_validate(options.get(), errptr) != 0;
}

std::string SavedBloom() {
  char* error = nullptr;
  EXPECT_TRUE(bloomline_bloom_save(Bloom().get(), Path("bloom").c_str(), &error));
  return Path("bloom");
}

std::string SavedCounting() {
  char* error = nullptr;
  EXPECT_TRUE(bloomline_counting_save(Counting().get(), Path("counting").c_str(), &error));
  return Path("counting");
}

std::string Missing() { return Path("missing/file"); }

// A builder with a random seed; null, with *errptr, if none can be drawn.
Handle<bloomline_builder_t> RandomBuilder(char** errptr) {
  const Handle<bloomline_filteroptions_t> options(bloomline_filteroptions_create(),
                                                  bloomline_filteroptions_destroy);
  bloomline_filteroptions_set_random_seed(options.get(), 1);
  return {bloomline_builder_create(options.get(), errptr), bloomline_builder_destroy};
}

bool CreatesBuilder(double bits_per_key, char** errptr) {
  const Handle<bloomline_filteroptions_t> options(bloomline_filteroptions_create(),
                                                  bloomline_filteroptions_destroy);
  bloomline_filteroptions_set_bits_per_key(options.get(), bits_per_key);
  const Handle<bloomline_builder_t> builder(bloomline_builder_create(options.get(), errptr),
                                            bloomline_builder_destroy);
  return builder != nullptr;
}

bool SpreadsBits(double bits_per_key, char** errptr) {
  const double keys[] = {1, 10};
  double bits[2];
  return bloomline_spread_bits_by_level(bloomline_format_compact, bits_per_key, keys, nullptr, 2,
                                        bits, errptr) != 0;
}

bool FinishesBuilder(bloomline_builder_t* builder, char** errptr) {
  size_t length;
  char* const filter = bloomline_builder_finish(builder, 1, &length, errptr);
  bloomline_free(filter);
  return filter != nullptr;
}

#ifdef BLOOMLINE_TEST_LEVELDB
bool IsMade(leveldb_filterpolicy_t* policy) {
  if (policy != nullptr) leveldb_filterpolicy_destroy(policy);
  return policy != nullptr;
}
#endif

[[maybe_unused]] size_t NoForm(void*, const char*, size_t, char*, size_t) { return SIZE_MAX; }

std::vector<Function> Functions() {
  return {
      {"bloomline_draw_seed", [](char** errptr) { return bloomline_draw_seed(errptr) != 0; },
       [](char** errptr) {
         const tests::InjectedEntropy failing;
         return bloomline_draw_seed(errptr) != 0;
       }},
      {"bloomline_builder_create", [](char** errptr) { return CreatesBuilder(10, errptr); },
       [](char** errptr) { return CreatesBuilder(-1, errptr); }},
      {"bloomline_builder_finish",
       [](char** errptr) {
         const auto builder = RandomBuilder(errptr);
         bloomline_builder_add_key(builder.get(), "key", 3);
         return FinishesBuilder(builder.get(), errptr);
       },
       [](char** errptr) {
         char* error = nullptr;
         const auto builder = RandomBuilder(&error);
         const tests::InjectedEntropy failing;  // so the second filter gets no seed
         EXPECT_TRUE(FinishesBuilder(builder.get(), &error));
         bloomline_builder_add_key(builder.get(), "key", 3);
         return FinishesBuilder(builder.get(), errptr);
       }},
      {"bloomline_bloom_create", [](char** errptr) { return IsMade(CreateBloom(10, errptr)); },
       [](char** errptr) { return IsMade(CreateBloom(0, errptr)); }},
      {"bloomline_bloom_copy",
       [](char** errptr) { return IsMade(bloomline_bloom_copy(Bloom().get(), errptr)); }, nullptr},
      {"bloomline_bloom_load",
       [](char** errptr) { return IsMade(bloomline_bloom_load(SavedBloom().c_str(), errptr)); },
       [](char** errptr) { return IsMade(bloomline_bloom_load(Missing().c_str(), errptr)); }},
      {"bloomline_bloom_open_mapped",
       [](char** errptr) {
         return IsMade(bloomline_bloom_open_mapped(SavedBloom().c_str(), 1, errptr));
       },
       [](char** errptr) {
         return IsMade(bloomline_bloom_open_mapped(Missing().c_str(), 1, errptr));
       }},
      {"bloomline_bloom_merge",
       [](char** errptr) -> bool {
         return bloomline_bloom_merge(Bloom().get(), Bloom().get(), errptr);
       },
       [](char** errptr) -> bool {
         return bloomline_bloom_merge(Bloom().get(), Bloom(1000).get(), errptr);
       }},
      {"bloomline_bloom_intersect",
       [](char** errptr) -> bool {
         return bloomline_bloom_intersect(Bloom().get(), Bloom().get(), errptr);
       },
       [](char** errptr) -> bool {
         return bloomline_bloom_intersect(Bloom().get(), Bloom(1000).get(), errptr);
       }},
      {"bloomline_bloom_save",
       [](char** errptr) -> bool {
         return bloomline_bloom_save(Bloom().get(), Path("bloom").c_str(), errptr);
       },
       [](char** errptr) -> bool {
         return bloomline_bloom_save(Bloom().get(), Missing().c_str(), errptr);
       }},
      {"bloomline_bloom_to_bytes",
       [](char** errptr) {
         size_t length;
         char* const bytes = bloomline_bloom_to_bytes(Bloom().get(), &length, errptr);
         bloomline_free(bytes);
         return bytes != nullptr;
       },
       nullptr},
      {"bloomline_bloom_from_bytes",
       [](char** errptr) {
         size_t length;
         char* const bytes = bloomline_bloom_to_bytes(Bloom().get(), &length, errptr);
         const bool made = IsMade(bloomline_bloom_from_bytes(bytes, length, errptr));
         bloomline_free(bytes);
         return made;
       },
       [](char** errptr) { return IsMade(bloomline_bloom_from_bytes("no", 2, errptr)); }},
      {"bloomline_counting_create",
       [](char** errptr) { return IsMade(CreateCounting(10, errptr)); },
       [](char** errptr) { return IsMade(CreateCounting(0, errptr)); }},
      {"bloomline_counting_load",
       [](char** errptr) {
         return IsMade(bloomline_counting_load(SavedCounting().c_str(), errptr));
       },
       [](char** errptr) { return IsMade(bloomline_counting_load(Missing().c_str(), errptr)); }},
      {"bloomline_counting_merge",
       [](char** errptr) -> bool {
         return bloomline_counting_merge(Counting().get(), Counting().get(), errptr);
       },
       [](char** errptr) -> bool {
         return bloomline_counting_merge(Counting().get(), Counting(1000).get(), errptr);
       }},
      {"bloomline_counting_save",
       [](char** errptr) -> bool {
         return bloomline_counting_save(Counting().get(), Path("counting").c_str(), errptr);
       },
       [](char** errptr) -> bool {
         return bloomline_counting_save(Counting().get(), Missing().c_str(), errptr);
       }},
      {"bloomline_counting_to_bytes",
       [](char** errptr) {
         size_t length;
         char* const bytes = bloomline_counting_to_bytes(Counting().get(), &length, errptr);
         bloomline_free(bytes);
         return bytes != nullptr;
       },
       nullptr},
      {"bloomline_counting_from_bytes",
       [](char** errptr) {
         size_t length;
         char* const bytes = bloomline_counting_to_bytes(Counting().get(), &length, errptr);
         const bool made = IsMade(bloomline_counting_from_bytes(bytes, length, errptr));
         bloomline_free(bytes);
         return made;
       },
       [](char** errptr) { return IsMade(bloomline_counting_from_bytes("no", 2, errptr)); }},
      {"bloomline_counting_create_bloom",
       [](char** errptr) {
         return IsMade(bloomline_counting_create_bloom(Counting().get(), errptr));
       },
       nullptr},
      {"bloomline_atomic_create", [](char** errptr) { return IsMade(CreateAtomic(10, errptr)); },
       [](char** errptr) { return IsMade(CreateAtomic(0, errptr)); }},
      {"bloomline_atomic_snapshot",
       [](char** errptr) { return IsMade(bloomline_atomic_snapshot(Atomic().get(), errptr)); },
       nullptr},
      {"bloomline_scalable_create", [](char** errptr) { return IsMade(CreateScalable(2, errptr)); },
       [](char** errptr) { return IsMade(CreateScalable(0, errptr)); }},
      {"bloomline_scalable_load",
       [](char** errptr) {
         return IsMade(bloomline_scalable_load(SavedScalable().c_str(), errptr));
       },
       [](char** errptr) { return IsMade(bloomline_scalable_load(Missing().c_str(), errptr)); }},
      {"bloomline_scalable_save",
       [](char** errptr) -> bool {
         return bloomline_scalable_save(Scalable().get(), Path("scalable").c_str(), errptr);
       },
       [](char** errptr) -> bool {
         return bloomline_scalable_save(Scalable().get(), Missing().c_str(), errptr);
       }},
      {"bloomline_scalable_to_bytes",
       [](char** errptr) {
         size_t length;
         char* const bytes = bloomline_scalable_to_bytes(Scalable().get(), &length, errptr);
         bloomline_free(bytes);
         return bytes != nullptr;
       },
       nullptr},
      {"bloomline_scalable_from_bytes",
       [](char** errptr) {
         size_t length;
         char* const bytes = bloomline_scalable_to_bytes(Scalable().get(), &length, errptr);
         const bool made = IsMade(bloomline_scalable_from_bytes(bytes, length, errptr));
         bloomline_free(bytes);
         return made;
       },
       [](char** errptr) { return IsMade(bloomline_scalable_from_bytes("no", 2, errptr)); }},
      {"bloomline_ondisk_create",
       [](char** errptr) { return IsMade(CreatePartitioned(1 << 20, errptr)); },
       [](char** errptr) { return IsMade(CreatePartitioned(5, errptr)); }},
      {"bloomline_ondisk_add_key",
       [](char** errptr) -> bool {
         return bloomline_ondisk_add_key(Partitioned().get(), "key", 3, errptr);
       },
       nullptr},  // tests/unit/file_faults_test.cc has full disks
      {"bloomline_ondisk_add_keys",
       [](char** errptr) -> bool {
         const char* const key = "key";
         const size_t length = 3;
         return bloomline_ondisk_add_keys(Partitioned().get(), 1, &key, &length, errptr);
       },
       nullptr},
      {"bloomline_ondisk_finish",
       [](char** errptr) -> bool {
         return bloomline_ondisk_finish(Partitioned().get(), Path("filter").c_str(), errptr);
       },
       [](char** errptr) -> bool {
         return bloomline_ondisk_finish(Partitioned().get(), Missing().c_str(), errptr);
       }},
      {"bloomline_filteroptions_validate", [](char** errptr) { return IsValid(10, errptr); },
       [](char** errptr) { return IsValid(-1, errptr); }},
      {"bloomline_view_validate",
       [](char** errptr) {
         char* error = nullptr;
         const auto builder = RandomBuilder(&error);
         size_t length;
         char* const filter = bloomline_builder_finish(builder.get(), 1, &length, &error);
         const bool is_filter = bloomline_view_validate(filter, length, errptr) != 0;
         bloomline_free(filter);
         return is_filter;
       },
       [](char** errptr) { return bloomline_view_validate("no", 2, errptr) != 0; }},
      {"bloomline_validate_false_positive_rate",
       [](char** errptr) { return bloomline_validate_false_positive_rate(1, 0.01, errptr) != 0; },
       [](char** errptr) { return bloomline_validate_false_positive_rate(1, 2, errptr) != 0; }},
      {"bloomline_spread_bits_by_level", [](char** errptr) { return SpreadsBits(10, errptr); },
       [](char** errptr) { return SpreadsBits(-1, errptr); }},
      {"bloomline_force_kernel",
       [](char** errptr) {
         return bloomline_force_kernel(bloomline_active_kernel_name(), errptr) != 0;
       },
       [](char** errptr) { return bloomline_force_kernel("none", errptr) != 0; }},
#ifdef BLOOMLINE_TEST_LEVELDB
      {"bloomline_leveldb_filterpolicy_create",
       [](char** errptr) { return IsMade(bloomline_leveldb_filterpolicy_create(1, 10, errptr)); },
       [](char** errptr) { return IsMade(bloomline_leveldb_filterpolicy_create(1, -1, errptr)); }},
      {"bloomline_leveldb_filterpolicy_create_with_seed",
       [](char** errptr) {
         return IsMade(bloomline_leveldb_filterpolicy_create_with_seed(1, 10, "name", 5, errptr));
       },
       [](char** errptr) {
         return IsMade(bloomline_leveldb_filterpolicy_create_with_seed(1, 10, "", 5, errptr));
       }},
      {"bloomline_leveldb_filterpolicy_create_with_canonicalizer",
       [](char** errptr) {
         return IsMade(bloomline_leveldb_filterpolicy_create_with_canonicalizer(
             1, 10, "name", 5, "canonicalizer", NoForm, nullptr, nullptr, errptr));
       },
       [](char** errptr) {
         return IsMade(bloomline_leveldb_filterpolicy_create_with_canonicalizer(
             1, 10, "name", 5, "not a name", NoForm, nullptr, nullptr, errptr));
       }},
#endif
#ifdef BLOOMLINE_TEST_ROCKSDB
      {"bloomline_rocksdb_register",
       [](char** errptr) { return bloomline_rocksdb_register(errptr) != 0; },
       nullptr},  // rocksdb_mismatch_test has a failure
      {"bloomline_rocksdb_register_canonicalizer",
       [](char** errptr) {
         return bloomline_rocksdb_register_canonicalizer("test.c_error_style", NoForm, nullptr,
                                                         nullptr, errptr) != 0;
       },
       [](char** errptr) {
         return bloomline_rocksdb_register_canonicalizer("test.c_error_style", nullptr, nullptr,
                                                         nullptr, errptr) != 0;
       }},
#endif
  };
}

[[maybe_unused]] std::vector<Function> RedisFunctions() {
#ifdef BLOOMLINE_TEST_REDIS
  static const tests::RedisServer server;
  const auto with_servers = [](const std::string& address, const auto& call) {
    const char* const text = address.c_str();
    const Handle<bloomline_redisservers_t> servers(bloomline_redisservers_create(),
                                                   bloomline_redisservers_destroy);
    EXPECT_TRUE(bloomline_redisservers_set_servers(servers.get(), 1, &text));
    bloomline_redisservers_set_max_retries(servers.get(), 0);
    return call(servers.get());
  };
  const auto is_made = [](bloomline_shared_t* shared) {
    bloomline_shared_destroy(shared);
    return shared != nullptr;
  };
  const auto created = [=](const bloomline_redisservers_t* servers, char** errptr) {
    const Handle<bloomline_sharedoptions_t> options(bloomline_sharedoptions_create(),
                                                    bloomline_sharedoptions_destroy);
    bloomline_sharedoptions_set_capacity(options.get(), 1000);
    return is_made(bloomline_shared_create(servers, "filter", options.get(), errptr));
  };
  const auto create = [=](const std::string& address) {
    return [=](char** errptr) {
      return with_servers(address, [=](auto* servers) { return created(servers, errptr); });
    };
  };
  const auto open = [=](const std::string& address) {
    return [=](char** errptr) {
      return with_servers(address, [=](auto* servers) {
        char* error = nullptr;
        created(servers, &error);
        bloomline_redis_free(error);
        return is_made(bloomline_shared_open(servers, "filter", errptr));
      });
    };
  };
  const auto remove = [=](const std::string& address) {
    return [=](char** errptr) {
      return with_servers(address, [=](auto* servers) {
        return bloomline_shared_delete(servers, "filter", errptr) != 0;
      });
    };
  };
  const std::string here = server.address();
  const std::string nowhere = "127.0.0.1:" + std::to_string(tests::RedisServer::FreePort());
  return {{"bloomline_shared_create", create(here), create(nowhere)},
          {"bloomline_shared_open", open(here), open(nowhere)},
          {"bloomline_shared_delete", remove(here), remove(nowhere)}};
#else
  return {};
#endif
}

void ExpectTheConvention(const std::vector<Function>& functions) {
  const char* const untouched = "what was there before";
  for (const Function& function : functions) {
    SCOPED_TRACE(function.name);
    char* error = nullptr;
    EXPECT_TRUE(function.succeeds(&error)) << error;
    EXPECT_EQ(error, nullptr) << "after success";
    error = strdup(untouched);
    char* const before = error;
    EXPECT_TRUE(function.succeeds(&error)) << error;
    EXPECT_EQ(error, before) << "after success";
    EXPECT_STREQ(error, untouched);
    if (function.fails != nullptr) {
      EXPECT_FALSE(function.fails(&error));
      EXPECT_STRNE(error, untouched) << "after failure";
      ASSERT_NE(error, nullptr);
      EXPECT_STRNE(error, "");
      EXPECT_EQ(std::strchr(error, '\n'), nullptr) << error;
      EXPECT_FALSE(function.fails(nullptr));
    }
    bloomline_free(error);
    EXPECT_TRUE(function.succeeds(nullptr));
  }
}

TEST(CErrorStyleTest, FunctionsFollowTheConvention) { ExpectTheConvention(Functions()); }

#ifdef BLOOMLINE_TEST_REDIS
TEST(CErrorStyleTest, RedisFollowsTheConvention) {
  if (!tests::RedisServer::IsInstalled()) GTEST_SKIP() << "no redis-server";
  ExpectTheConvention(RedisFunctions());
}
#endif

TEST(CErrorStyleTest, EveryFunctionOfThePublicHeadersIsTested) {
  std::set<std::string> declared;
  for (const char* header : {
           "c.h",
#ifdef BLOOMLINE_TEST_LEVELDB
           "c_leveldb.h",
#endif
#ifdef BLOOMLINE_TEST_ROCKSDB
           "c_rocksdb.h",
#endif
       }) {
    declared.merge(tests::DeclaredFunctionsWith("char** errptr", header));
  }
  std::set<std::string> tried;
  for (const Function& function : Functions()) tried.insert(function.name);
#ifdef BLOOMLINE_TEST_REDIS
  declared.merge(tests::DeclaredFunctionsWith("char** errptr", "c_redis.h"));
  if (tests::RedisServer::IsInstalled()) {
    for (const Function& function : RedisFunctions()) tried.insert(function.name);
  } else {
    tried.insert({"bloomline_shared_create", "bloomline_shared_open", "bloomline_shared_delete"});
  }
#endif
  EXPECT_EQ(declared, tried);
}

}  // namespace
}  // namespace bloomline
