// Addresses of Redis servers: their parts, what is refused, and that no message contains a
// password.
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/options.h"
#include "src/redis/tls.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::redis_address_test {
namespace {

using redis::Endpoint;

// The options in which the parts of the address have their places. Fails if it is refused.
RedisServers Resolve(const std::string& address, Endpoint* endpoint) {
  RedisServers servers, resolved;
  servers.servers = {address};
  servers.database = 7;
  std::vector<Endpoint> endpoints;
  EXPECT_EQ(redis::ResolveServers(servers, &endpoints, &resolved), "");
  *endpoint = endpoints.at(0);
  return resolved;
}

TEST(RedisAddressTest, FormsAreParsed) {
  struct Case {
    const char* text;
    const char* host;
    int port;
    const char* username;
    const char* password;
    int database;  // 7: that of the options
  };
  for (const Case& expected : {
           Case{"h:1", "h", 1, "", "", 7},
           Case{"[::1]:6380", "::1", 6380, "", "", 7},
           Case{"::1:6380", "::1", 6380, "", "", 7},
           Case{"redis://h", "h", 6379, "", "", 7},
           Case{"redis://h/", "h", 6379, "", "", 7},
           Case{"redis://h:7000/3", "h", 7000, "", "", 3},
           Case{"redis://[::1]", "::1", 6379, "", "", 7},
           Case{"redis://[::1]:7000/0", "::1", 7000, "", "", 0},
           Case{"redis://:pw@h:1", "h", 1, "", "pw", 7},
           Case{"redis://me:pw@h/2147483647", "h", 6379, "me", "pw", 2147483647},
           Case{"redis://m%65:%40%3a%2F%25@h", "h", 6379, "me", "@:/%", 7},
           Case{"unix:///run/redis.sock", "/run/redis.sock", 0, "", "", 7},
           Case{"unix://me:p%77@/a%20b?db=4", "/a b", 0, "me", "pw", 4},
           Case{"unix:///a@b", "/a@b", 0, "", "", 7},
       }) {
    for (const bool use_tls : {false, true}) {
      std::string text = expected.text;
      if (use_tls && (!redis::HasTls() || text.rfind("redis:", 0) != 0)) continue;
      if (use_tls) text.insert(5, "s");
      SCOPED_TRACE(text);
      Endpoint endpoint;
      const RedisServers resolved = Resolve(text, &endpoint);
      EXPECT_EQ(endpoint, (Endpoint{expected.host, expected.port, use_tls}));
      EXPECT_EQ(resolved.username, expected.username);
      EXPECT_EQ(resolved.password, expected.password);
      EXPECT_EQ(resolved.database, expected.database);
    }
  }
}

// No message quotes an address: whatever is wrong with it, it may contain a password.
TEST(RedisAddressTest, InvalidAddressesAreRefusedByNumber) {
  std::istringstream words(
      "h :1 h: h:0 h:65536 h:x h/x:1 me:secret@h:1 redis:/h redis:// redis://:1 redis://h:0 "
      "redis://h:65536 redis://h:1:2: redis://h/x redis://h/-1 redis://h/2147483648 redis://h/1/2 "
      "redis://h?db=1 redis://h:1x redis://me:123456 redis://me:sec:ret@h redis://me:secret%@h "
      "redis://me:secret@x@h:0 redis://[::1 rediss:// http://h:1 REDIS://h:1 ://h:1 unix:// "
      "unix:/// unix://x unix:///x?db= unix:///x?db=1x unix:///p?password=secret unix:///x%zz "
      "unix:///x%00y");
  std::vector<std::string> invalid{std::istream_iterator<std::string>(words), {}};
  invalid.insert(
      invalid.end(),
      {"", "unix:///" + std::string(108, 'x'), {"h\0:1", 4}, {"redis://h\0.example:1", 20}});
  for (const std::string& text : invalid) {
    RedisServers servers;
    servers.servers = {"h:1", text};
    const std::string error = servers.Validate();
    EXPECT_EQ(error.find("servers[1] is not a valid address; allowed: "), 0u) << text << error;
    EXPECT_TRUE(Has(error, "port 1 to 65535, database 0 to 2147483647")) << error;
    EXPECT_FALSE(Has(error, "sec") || Has(error, "123456")) << error;
  }
}

TEST(RedisAddressTest, PartsOfAnAddressReplaceTheOptions) {
  RedisServers servers;
  servers.servers = {"h:1", "redis://:new@h:2", "h:3"};
  servers.username = "me";
  servers.password = "old";
  servers.database = 4;
  std::vector<Endpoint> endpoints;
  RedisServers resolved;
  EXPECT_EQ(redis::ResolveServers(servers, &endpoints, &resolved), "");
  EXPECT_EQ(endpoints.size(), 3u);
  EXPECT_EQ(resolved.username, "") << "the user of a password belongs to it";
  EXPECT_EQ(resolved.password, "new");
  EXPECT_EQ(resolved.database, 4);
}

TEST(RedisAddressTest, ContradictionsAreRefused) {
  const auto refused = [](const RedisServers& servers, const std::string& words) {
    const std::string error = servers.Validate();
    EXPECT_TRUE(Has(error, words));
    EXPECT_FALSE(Has(error, "secret"));
  };
  RedisServers servers;
  servers.servers = {"redis://secret@h"};
  refused(servers, "there is a username without a password");
  servers.servers = {"redis://h:1", "rediss://g:1"};
  refused(servers, "with and without TLS");
  servers.servers = {"redis://:secret@h:1", "redis://:another@g:1"};
  refused(servers, "different users or passwords");
  if (!redis::HasTls()) {
    servers.servers = {"rediss://h:1"};
    refused(servers, "but this build has no TLS");
  }
  servers.servers = {"h:1"};
  servers.tls.ca_file = "x.pem";
  refused(servers, "tls.ca_file is 'x.pem', but servers has no rediss:// address");
}

class RedisConnectTest : public RedisTest {
 protected:
  void ExpectRefusedAt(const std::string& address, const std::string& words) {
    servers_.servers = {address};
    ExpectRefused(words);
  }

  std::unique_ptr<SharedBloomFilter> CreateAt(const std::string& address) {
    servers_.servers = {address};
    return Create();
  }

  // Filters at the two addresses have the same keys.
  void ExpectSame(const std::string& address, const std::string& other) {
    const auto filter = CreateAt(address);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->AddKey("key"), AddResult::kNew) << filter->error();
    const auto same = CreateAt(other);
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->MayMatch("key"), Answer::kMaybe);
    EXPECT_EQ(same->MayMatch("absent"), Answer::kNo);
  }
};

TEST_F(RedisConnectTest, UserPasswordDatabaseAndSocketFromTheAddress) {
  const TempDir dir;
  const std::string path = dir.Path("redis.sock");
  RedisServer server({"--unixsocket", path, "--appendonly", "yes", "--appendfsync", "always"});
  const std::string at = server.address();
  ExpectSame("unix://" + path + "?db=2", "redis://" + at + "/2");
  ExpectRefusedAt("unix://" + path + "x", path + "x: cannot connect: No such file");
  // Databases stay separate, also after a reconnect.
  const auto third = CreateAt("redis://" + at + "/3");
  const auto first = CreateAt(at);
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(third->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(first->MayMatch("key"), Answer::kNo);
  server.Restart();
  EXPECT_EQ(third->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(first->AddKey("other"), AddResult::kNew) << first->error();
  EXPECT_EQ(third->MayMatch("other"), Answer::kNo);
  // A password.
  EXPECT_EQ(server.Command({"CONFIG", "SET", "requirepass", "hush/b@c:d"}), "OK");
  ExpectSame("redis://:hush%2Fb%40c%3Ad@" + at + "/5",
             "redis://default:hush%2Fb%40c%3Ad@" + at + "/5");
  ExpectRefusedAt("redis://:hush@" + at, "WRONGPASS");
  ExpectRefusedAt("redis://" + at, "NOAUTH");
  ExpectRefusedAt("redis://:hush%2Fb%40c%3Ad@" + at + "/16", "out of range (database 16;");
}

// Redis's error for an unknown command quotes the arguments, long ones shortened.
TEST_F(RedisConnectTest, ServerWithoutAuthDoesNotRevealThePassword) {
  const RedisServer server({"--rename-command", "AUTH", "nobody-knows"});
  ExpectRefusedAt("redis://name:hush@" + server.address(), "unknown command");
  ExpectRefusedAt("redis://name:hush" + std::string(200, 'h') + "@" + server.address(),
                  "unknown command");
}

}  // namespace
}  // namespace bloomline::tests::redis_address_test
