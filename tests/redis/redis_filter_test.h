// Tests that create and open filters on Redis servers: their fixtures, keys and results.
#ifndef BLOOMLINE_TESTS_REDIS_REDIS_FILTER_TEST_H_
#define BLOOMLINE_TESTS_REDIS_REDIS_FILTER_TEST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {

// "PREFIX0", "PREFIX1", ... : n keys.
inline std::vector<std::string> Keys(size_t n, const std::string& prefix) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

// Whether the text has the words; if not, gtest prints it.
inline ::testing::AssertionResult Has(const std::string& text, const std::string& words) {
  const bool has = text.find(words) != std::string::npos;
  return (has ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
         << "'" << text << "', '" << words << "'";
}

// The number of elements that are `result`: an Answer or an AddResult.
template <typename Result>
size_t Count(const std::vector<Result>& results, Result result) {
  return static_cast<size_t>(std::count(results.begin(), results.end(), result));
}

// The number of keys that the filter answers with "no". Expects that it has all answers.
inline size_t CountLost(SharedBloomFilter* filter, const std::vector<std::string>& keys) {
  std::vector<Answer> answers(keys.size());
  EXPECT_TRUE(filter->MayMatch(keys, answers.data())) << filter->error();
  return Count(answers, Answer::kNo);
}

inline AddOptions Replicas(int n, int timeout_ms) {
  AddOptions options;
  options.min_replicas = n;
  options.replica_timeout_ms = timeout_ms;
  return options;
}

// A thread that adds batch after batch until it is stopped, and keeps the acknowledged keys.
class Adder {
 public:
  Adder(const RedisServers& servers, const AddOptions& options, const std::string& prefix)
      : thread_([this, servers, options, prefix] {
          const auto filter = SharedBloomFilter::Open(servers, "f", nullptr);
          for (int batch = 0; !stop_ && filter != nullptr; ++batch) {
            const std::vector<std::string> keys = Keys(200, prefix + std::to_string(batch) + "/");
            std::vector<AddResult> results(keys.size(), AddResult::kFailed);
            filter->AddKeys(keys, results.data(), options);
            for (size_t i = 0; i < keys.size(); ++i) {
              if (results[i] != AddResult::kFailed) acknowledged_.push_back(keys[i]);
            }
            num_acknowledged = acknowledged_.size();
          }
        }) {}

  std::vector<std::string> Stop() {
    stop_ = true;
    thread_.join();
    return acknowledged_;
  }

  std::atomic<size_t> num_acknowledged{0};

 private:
  std::vector<std::string> acknowledged_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class RedisTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
    servers_.command_timeout_ms = 20000;  // a busy machine may leave the server without CPU time
  }

  std::unique_ptr<SharedBloomFilter> Create(const std::string& name,
                                            const SharedBloomFilterOptions& options) {
    std::string error;
    auto filter = SharedBloomFilter::Create(servers_, name, options, &error);
    EXPECT_NE(filter, nullptr) << error;
    return filter;
  }

  std::unique_ptr<SharedBloomFilter> Create() { return Create("f", options_); }

  std::unique_ptr<SharedBloomFilter> Open(const std::string& name) {
    std::string error;
    auto filter = SharedBloomFilter::Open(servers_, name, &error);
    EXPECT_NE(filter, nullptr) << error;
    return filter;
  }

  void Delete() {
    std::string error;
    EXPECT_TRUE(SharedBloomFilter::Delete(servers_, "f", &error)) << error;
  }

  // Create, Open and Delete fail with these words, and without a password of the tests.
  void ExpectRefused(const std::string& words) {
    std::string errors[3];
    EXPECT_EQ(SharedBloomFilter::Create(servers_, "f", options_, &errors[0]), nullptr);
    EXPECT_EQ(SharedBloomFilter::Open(servers_, "f", &errors[1]), nullptr);
    EXPECT_FALSE(SharedBloomFilter::Delete(servers_, "f", &errors[2]));
    for (const std::string& error : errors) {
      EXPECT_TRUE(Has(error, words));
      EXPECT_FALSE(Has(error, "hush"));
    }
  }

  RedisServers servers_;
  SharedBloomFilterOptions options_{20000};
};

// With one server.
class RedisFilterTest : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (!IsSkipped()) Start({});
  }

  void Start(std::vector<std::string> arguments) {
    server_ = std::make_unique<RedisServer>(std::move(arguments));
    servers_.servers = {server_->address()};
  }

  std::string FirstShard() { return server_->KeysLike("bloomline:shard:{f:*").at(0); }

  std::unique_ptr<RedisServer> server_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_REDIS_REDIS_FILTER_TEST_H_
