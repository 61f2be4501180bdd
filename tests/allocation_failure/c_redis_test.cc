// c_redis.h.
#include "bloomline/c_redis.h"

#include <memory>
#include <string>
#include <vector>

#include "tests/allocation_failure/c_attempts.h"
#include "tests/allocation_failure/redis_attempts.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {
namespace {

TEST_F(CTest, RedisOptionsAreCreatedOrNull) {
  FailEachAllocation({"bloomline_redisservers_create", "bloomline_redisservers_destroy",
                      "bloomline_sharedoptions_create", "bloomline_sharedoptions_destroy",
                      "bloomline_addoptions_create", "bloomline_addoptions_destroy"},
                     [](Attempt* attempt) {
                       attempt->Call([] {
                         bloomline_redisservers_destroy(bloomline_redisservers_create());
                         bloomline_sharedoptions_destroy(bloomline_sharedoptions_create());
                         bloomline_addoptions_destroy(bloomline_addoptions_create());
                       });
                     });
  auto* servers = bloomline_redisservers_create();
  auto* options = bloomline_sharedoptions_create();
  auto* add = bloomline_addoptions_create();
  ExpectNoAllocation(
      {"bloomline_redisservers_set_database", "bloomline_redisservers_set_tls_verify",
       "bloomline_redisservers_set_connect_timeout_ms",
       "bloomline_redisservers_set_command_timeout_ms", "bloomline_redisservers_set_max_retries",
       "bloomline_redisservers_set_give_up_ms", "bloomline_redisservers_set_when_unavailable",
       "bloomline_sharedoptions_set_capacity", "bloomline_sharedoptions_set_false_positive_rate",
       "bloomline_sharedoptions_set_seed", "bloomline_sharedoptions_set_shard_bytes",
       "bloomline_addoptions_set_min_replicas", "bloomline_addoptions_set_replica_timeout_ms",
       "bloomline_redis_free", "bloomline_redis_version"},
      [&] {
        bloomline_redisservers_set_database(servers, 1);
        bloomline_redisservers_set_tls_verify(servers, 1);
        bloomline_redisservers_set_connect_timeout_ms(servers, 1);
        bloomline_redisservers_set_command_timeout_ms(servers, 1);
        bloomline_redisservers_set_max_retries(servers, 1);
        bloomline_redisservers_set_give_up_ms(servers, 1);
        bloomline_redisservers_set_when_unavailable(servers, 1);
        bloomline_sharedoptions_set_capacity(options, 1);
        bloomline_sharedoptions_set_false_positive_rate(options, 0.1);
        bloomline_sharedoptions_set_seed(options, 1);
        bloomline_sharedoptions_set_shard_bytes(options, 4096);
        bloomline_addoptions_set_min_replicas(add, 1);
        bloomline_addoptions_set_replica_timeout_ms(add, 1);
        bloomline_redis_free(nullptr);
        bloomline_redis_version();
      });
  bloomline_redisservers_destroy(servers);
  bloomline_sharedoptions_destroy(options);
  bloomline_addoptions_destroy(add);
}

TEST_F(CTest, RedisTextsAreSetOrNot) {
  static constexpr char kText[] = "a text that is long enough to need memory of its own";
  const char* const addresses[] = {kText, kText};
  FailEachAllocation(
      {"bloomline_redisservers_set_servers", "bloomline_redisservers_set_username",
       "bloomline_redisservers_set_password", "bloomline_redisservers_set_tls_ca_file",
       "bloomline_redisservers_set_tls_ca_path", "bloomline_redisservers_set_tls_certificate_file",
       "bloomline_redisservers_set_tls_key_file", "bloomline_redisservers_set_tls_server_name"},
      [&](Attempt* attempt) {
        const std::unique_ptr<bloomline_redisservers_t, void (*)(bloomline_redisservers_t*)> handle(
            bloomline_redisservers_create(), bloomline_redisservers_destroy);
        bloomline_redisservers_t* const servers = handle.get();
        int num_set = 0;
        attempt->Call([&] {
          num_set += bloomline_redisservers_set_servers(servers, 2, addresses);
          num_set += bloomline_redisservers_set_username(servers, kText);
          num_set += bloomline_redisservers_set_password(servers, kText);
          num_set += bloomline_redisservers_set_tls_ca_file(servers, kText);
          num_set += bloomline_redisservers_set_tls_ca_path(servers, kText);
          num_set += bloomline_redisservers_set_tls_certificate_file(servers, kText);
          num_set += bloomline_redisservers_set_tls_key_file(servers, kText);
          num_set += bloomline_redisservers_set_tls_server_name(servers, kText);
        });
        EXPECT_EQ(num_set < 8, attempt->HasFailed());
      });
}

class CRedisTest : public CTest {
 protected:
  void SetUp() override {
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
    const std::string socket = dir_.Path("socket");
    server_ = std::make_unique<RedisServer>(std::vector<std::string>{"--unixsocket", socket});
    const std::string address = "unix://" + socket;
    const char* const text = address.c_str();
    ASSERT_TRUE(bloomline_redisservers_set_servers(servers_, 1, &text));
    bloomline_sharedoptions_set_capacity(options_, RedisOptions().capacity);
    bloomline_sharedoptions_set_false_positive_rate(options_, RedisOptions().false_positive_rate);
    bloomline_sharedoptions_set_shard_bytes(options_, RedisOptions().shard_bytes);
  }
  void TearDown() override {
    bloomline_redisservers_destroy(servers_);
    bloomline_sharedoptions_destroy(options_);
  }

  std::unique_ptr<RedisServer> server_;
  bloomline_redisservers_t* servers_ = bloomline_redisservers_create();
  bloomline_sharedoptions_t* options_ = bloomline_sharedoptions_create();
};

TEST_F(CRedisTest, FiltersAreMadeOrNull) {
  FailEachForRedis({"bloomline_shared_create", "bloomline_shared_open", "bloomline_shared_delete",
                    "bloomline_shared_destroy"},
                   [&](Attempt* attempt) {
                     // What a deletion without memory has left.
                     ASSERT_TRUE(bloomline_shared_delete(servers_, "f", nullptr));
                     CError errors[3];
                     bloomline_shared_t *created = nullptr, *opened = nullptr;
                     bool deleted = false;
                     attempt->Call([&] {
                       created = bloomline_shared_create(servers_, "f", options_, errors[0].out());
                       if (created == nullptr) return;
                       opened = bloomline_shared_open(servers_, "f", errors[1].out());
                       deleted = bloomline_shared_delete(servers_, "f", errors[2].out());
                     });
                     errors[0].Check(*attempt, created != nullptr);
                     errors[1].Check(*attempt, created == nullptr || opened != nullptr);
                     errors[2].Check(*attempt, created == nullptr || deleted);
                     bloomline_shared_destroy(created);
                     bloomline_shared_destroy(opened);
                   });
}

TEST_F(CRedisTest, KeysAreAddedOrReportedAsFailed) {
  bloomline_shared_destroy(bloomline_shared_create(servers_, "f", options_, nullptr));
  int num_rounds = 0;
  FailEachForRedis(
      {"bloomline_shared_add_key", "bloomline_shared_add_keys", "bloomline_shared_may_match",
       "bloomline_shared_may_match_keys", "bloomline_shared_error"},
      [&](Attempt* attempt) {
        auto* const filter = bloomline_shared_open(servers_, "f", nullptr);
        ASSERT_NE(filter, nullptr);
        const std::string one = "alone " + std::to_string(++num_rounds);
        int results[kCKeys], answers[kCKeys], result = 0, answer = 0;
        bool added = false, answered = false;
        attempt->Call([&] {
          result = bloomline_shared_add_key(filter, one.data(), one.size(), nullptr);
          added = bloomline_shared_add_keys(filter, kCKeys, k_.keys.data(), k_.lengths.data(),
                                            nullptr, results);
        });
        EXPECT_EQ(bloomline_shared_error(filter) == nullptr, added);
        attempt->Call([&] {
          answer = bloomline_shared_may_match(filter, one.data(), one.size());
          answered = bloomline_shared_may_match_keys(filter, kCKeys, k_.keys.data(),
                                                     k_.lengths.data(), answers);
        });
        EXPECT_EQ(bloomline_shared_error(filter) == nullptr, answered);
        EXPECT_TRUE((added && answered) || attempt->HasFailed());
        attempt->CheckPresent(result == bloomline_shared_failed || answer != bloomline_shared_no);
        for (size_t i = 0; i < kCKeys; ++i) {
          attempt->CheckPresent(results[i] == bloomline_shared_failed ||
                                answers[i] != bloomline_shared_no);
        }
        bloomline_shared_destroy(filter);
      });
  auto* const filter = bloomline_shared_open(servers_, "f", nullptr);
  ExpectNoAllocation(
      {"bloomline_shared_name", "bloomline_shared_capacity", "bloomline_shared_false_positive_rate",
       "bloomline_shared_num_bytes", "bloomline_shared_num_shards", "bloomline_shared_num_probes"},
      [&] {
        bloomline_shared_name(filter);
        bloomline_shared_capacity(filter);
        bloomline_shared_false_positive_rate(filter);
        bloomline_shared_num_bytes(filter);
        bloomline_shared_num_shards(filter);
        bloomline_shared_num_probes(filter);
      });
  bloomline_shared_destroy(filter);
}

}  // namespace
}  // namespace bloomline::tests
