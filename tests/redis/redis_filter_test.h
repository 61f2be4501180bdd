// A test with one Redis server, which creates and opens filters there.
#ifndef BLOOMLINE_TESTS_REDIS_REDIS_FILTER_TEST_H_
#define BLOOMLINE_TESTS_REDIS_REDIS_FILTER_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bloomline/redis_bloom_filter.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {

class RedisFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "there is no redis-server here";
    server_ = std::make_unique<RedisServer>();
    servers_.servers = {server_->address()};
    servers_.command_timeout_ms = 20000;  // a busy machine may leave the server without CPU time
  }

  static SharedBloomFilterOptions Options(uint64_t capacity, double rate = 0.01) {
    SharedBloomFilterOptions options;
    options.capacity = capacity;
    options.false_positive_rate = rate;
    return options;
  }

  std::unique_ptr<SharedBloomFilter> Create(const std::string& name,
                                            const SharedBloomFilterOptions& options) {
    std::string error;
    auto filter = SharedBloomFilter::Create(servers_, name, options, &error);
    EXPECT_NE(filter, nullptr) << error;
    return filter;
  }

  std::unique_ptr<SharedBloomFilter> Open(const std::string& name) {
    std::string error;
    auto filter = SharedBloomFilter::Open(servers_, name, &error);
    EXPECT_NE(filter, nullptr) << error;
    return filter;
  }

  std::unique_ptr<RedisServer> server_;
  RedisServers servers_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_REDIS_REDIS_FILTER_TEST_H_
