// A filter's entry is found although its slot moves and other failures have used up rounds. The two
// nodes are threads of the test, so that the order of their replies is certain.
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/layout.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {
namespace {

// Serves one client at a time, with reply(name of the command) to each command.
class FakeNode {
 public:
  explicit FakeNode(std::function<std::string(std::string_view)> reply) : reply_(std::move(reply)) {
    listener_ = RedisServer::Bind(&port_);
    EXPECT_EQ(listen(listener_, 8), 0);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FakeNode() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }

 private:
  void Serve() {
    for (int fd = 0; (fd = accept(listener_, nullptr, nullptr)) >= 0; close(fd)) {
      const std::unique_ptr<redisReader, void (*)(redisReader*)> reader(redisReaderCreate(),
                                                                        redisReaderFree);
      char buffer[4096];
      for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
        redisReaderFeed(reader.get(), buffer, static_cast<size_t>(n));
        void* parsed = nullptr;
        while (redisReaderGetReply(reader.get(), &parsed) == REDIS_OK && parsed != nullptr) {
          auto* const command = static_cast<redisReply*>(parsed);
          const std::string bytes = reply_(command->element[0]->str);
          freeReplyObject(command);
          send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        }
      }
    }
  }

  const std::function<std::string(std::string_view)> reply_;
  int port_ = 0;
  int listener_ = -1;
  std::thread thread_;
};

class RedisRedirectTest : public testing::TestWithParam<const char*> {};

std::string Header() {
  redis::Layout layout;
  layout.false_positive_rate = 0.01;
  layout.capacity = 1000;
  layout.num_probes = 6;
  layout.blocks_per_shard = layout.num_shards = 1;
  layout.block_bytes = 128;
  return redis::EncodeHeader(layout);
}

TEST_P(RedisRedirectTest, EmptyReplyOfAMovingSlotIsNoMissingFilterAfterOtherFailures) {
  // How often the entry is just where the client does not look. 100: there is none.
  for (const int num_asks : {1, 3, 100}) {
    std::atomic<int> reads{0};
    FakeNode other(
        [](std::string_view name) { return name == "ASKING" ? "+OK\r\n" : "$0\r\n\r\n"; });
    FakeNode* self = nullptr;
    FakeNode node([&](std::string_view name) -> std::string {
      if (name == "CLUSTER") {
        return "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" +
               std::to_string(self->port()) + "\r\n";
      }
      const int read = reads++;
      if (read < 7) {
        const std::string error = GetParam();
        return error + (error == "-MOVED" ? " 1 " + self->address() : "") + "\r\n";
      }
      if (read < 7 + num_asks) return "-ASK 1 " + other.address() + "\r\n";
      return "$256\r\n" + Header() + "\r\n";
    });
    self = &node;
    RedisServers servers;
    servers.servers = {node.address()};
    servers.max_retries = 7;
    std::string error;
    const auto filter = SharedBloomFilter::Open(servers, "f", &error);
    EXPECT_EQ(filter != nullptr, num_asks < 4) << num_asks << error;
    if (num_asks == 100) {
      EXPECT_EQ(error, "there is no filter 'f'");
      EXPECT_EQ(reads, 7 + 4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Failures, RedisRedirectTest, testing::Values("-LOADING", "-MOVED"));

}  // namespace
}  // namespace bloomline::tests
