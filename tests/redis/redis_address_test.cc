// Addresses of Redis servers: their parts, what is refused, and that no message contains a
// password.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/address.h"
#include "src/redis/tls.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using redis::Address;
using redis::Endpoint;
using redis::ParseAddress;

TEST(RedisAddressTest, FormsAreParsed) {
  struct Case {
    const char* text;
    const char* host;
    int port;
    const char* username;
    const char* password;
    int database;  // -1: none
  };
  for (const Case& expected : {
           Case{"h:1", "h", 1, "", "", -1},
           Case{"[::1]:6380", "::1", 6380, "", "", -1},
           Case{"::1:6380", "::1", 6380, "", "", -1},
           Case{"redis://h", "h", 6379, "", "", -1},
           Case{"redis://h/", "h", 6379, "", "", -1},
           Case{"redis://h:7000/3", "h", 7000, "", "", 3},
           Case{"redis://[::1]", "::1", 6379, "", "", -1},
           Case{"redis://[::1]:7000/0", "::1", 7000, "", "", 0},
           Case{"redis://:pw@h:1", "h", 1, "", "pw", -1},
           Case{"redis://me:pw@h/2147483647", "h", 6379, "me", "pw", 2147483647},
           Case{"redis://m%65:%40%3a%2F%25@h", "h", 6379, "me", "@:/%", -1},
           Case{"unix:///run/redis.sock", "/run/redis.sock", 0, "", "", -1},
           Case{"unix://me:p%77@/a%20b?db=4", "/a b", 0, "me", "pw", 4},
           Case{"unix:///a@b", "/a@b", 0, "", "", -1},
       }) {
    for (const bool use_tls : {false, true}) {
      std::string text = expected.text;
      if (use_tls && text.rfind("redis:", 0) != 0) continue;
      if (use_tls) text.insert(5, "s");
      Address address;
      EXPECT_EQ(ParseAddress(text, &address), "");
      EXPECT_EQ(address.endpoint, (Endpoint{expected.host, expected.port, use_tls})) << text;
      EXPECT_EQ(address.username, expected.username) << text;
      EXPECT_EQ(address.password, expected.password) << text;
      EXPECT_EQ(address.database.value_or(-1), expected.database) << text;
    }
  }
}

TEST(RedisAddressTest, InvalidAddressesAreRefusedWithTheAllowedForms) {
  const std::string long_path = "unix:///" + std::string(108, 'x');
  for (const std::string text : {"",
                                 "h",
                                 ":1",
                                 "h:",
                                 "h:0",
                                 "h:65536",
                                 "h:x",
                                 "h/x:1",
                                 "redis:/h",
                                 "redis://",
                                 "redis://:1",
                                 "redis://h:0",
                                 "redis://h:65536",
                                 "redis://h:1:2:",
                                 "redis://h/x",
                                 "redis://h/-1",
                                 "redis://h/2147483648",
                                 "redis://h/1/2",
                                 "redis://h?db=1",
                                 "redis://h:1x",
                                 "rediss://",
                                 "http://h:1",
                                 "REDIS://h:1",
                                 "://h:1",
                                 "unix://",
                                 "unix:///",
                                 "unix://x",
                                 "unix:///x?db=",
                                 "unix:///x?db=1x",
                                 "unix:///x%00y",
                                 "unix:///x%zz",
                                 "redis://[::1",
                                 long_path.c_str()}) {
    RedisServers servers;
    servers.servers = {text};
    const std::string error = servers.Validate();
    EXPECT_NE(error.find("allowed: "), std::string::npos) << text << ": " << error;
    EXPECT_NE(error.find(text == long_path ? "109 bytes" : "'" + text + "'"), std::string::npos)
        << error;
  }
}

TEST(RedisAddressTest, MessagesKeepTheCredentialsSecret) {
  for (const char* text :
       {"redis://me:secret@h:0", "redis://secret@h", "redis://:secret@h:x", "me:secret@h:1",
        "redis://me:sec:ret@h", "redis://me:se/cret@h", "redis://me:secret%@h",
        "redis://me:secret@x@h:0", "unix://me:secret@x", "unix:///p?db=1&password=secret",
        "unix:///p?password=secret", "redis://h:0?password=secret", "secret@h"}) {
    RedisServers servers;
    servers.servers = {text};
    const std::string error = servers.Validate();
    EXPECT_NE(error, "") << text;
    EXPECT_EQ(error.find("secret"), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find("cret@"), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find("sec:ret"), std::string::npos) << text << ": " << error;
  }
}

TEST(RedisAddressTest, ContradictionsAreRefused) {
  const auto error_of = [](const auto& change) {
    RedisServers servers;
    change(&servers);
    return servers.Validate();
  };
  const auto expect = [](const std::string& error, const std::string& words) {
    EXPECT_NE(error.find(words), std::string::npos) << error;
    EXPECT_EQ(error.find("secret"), std::string::npos) << error;
  };
  expect(error_of([](RedisServers* s) { s->servers = {"me:secret://@h:1"}; }), "'***@h:1'");
  expect(error_of([](RedisServers* s) {
           s->servers = {"redis://me:secret1@h:1"};
           s->password = "secret2";
         }),
         "'redis://***@h:1', whose user or password differs");
  expect(error_of([](RedisServers* s) {
           s->servers = {"redis://:secret1@h:1", "redis://:secret2@g:1"};
         }),
         "'redis://***@g:1', whose user or password differs");
  expect(error_of([](RedisServers* s) {
           s->servers = {"redis://h:1/2"};
           s->database = 3;
         }),
         "'redis://h:1/2', but the database is 3");
  expect(error_of([](RedisServers* s) { s->database = -1; }), "database is -1; allowed: 0 to");
  expect(error_of([](RedisServers* s) { s->servers = {"redis://secret@h"}; }),
         "servers has a user without a password");
  expect(error_of([](RedisServers* s) {
           s->servers = {"redis://h:1", "rediss://g:1"};
         }),
         "'rediss://g:1' and one without TLS");
  expect(error_of([](RedisServers* s) { s->tls.ca_file = "x.pem"; }),
         "tls.ca_file is 'x.pem', but servers has no rediss:// address");
  RedisServers same;
  same.servers = {"redis://:pw@h:1", "h:2", "redis://:pw@h:3/0"};
  same.password = "pw";
  EXPECT_EQ(same.Validate(), "");
}

TEST(RedisAddressTest, WithoutTlsInTheBuildATlsAddressSaysSo) {
  RedisServers servers;
  servers.servers = {"rediss://127.0.0.1:1"};
  std::string error;
  EXPECT_EQ(SharedBloomFilter::Open(servers, "f", &error), nullptr);
  if (redis::WhyNoTls().empty()) {
    EXPECT_NE(error.find("cannot connect"), std::string::npos) << error;
  } else {
    EXPECT_NE(error.find("rediss:// address, but this build has no TLS: its hiredis "),
              std::string::npos)
        << error;
  }
}

class RedisConnectTest : public RedisTest {
 protected:
  std::unique_ptr<SharedBloomFilter> Create(const std::string& address, std::string* error) {
    RedisServers servers;
    servers.servers = {address};
    return SharedBloomFilter::Create(servers, "f", options_, error);
  }

  // Filters at the two addresses have the same keys.
  void ExpectSame(const std::string& address, const std::string& other) {
    std::string error;
    const auto filter = Create(address, &error);
    ASSERT_NE(filter, nullptr) << error;
    EXPECT_EQ(filter->AddKey("key"), AddResult::kNew) << filter->error();
    const auto same = Create(other, &error);
    ASSERT_NE(same, nullptr) << error;
    EXPECT_EQ(same->MayMatch("key"), Answer::kMaybe);
    EXPECT_EQ(same->MayMatch("absent"), Answer::kNo);
  }
};

TEST_F(RedisConnectTest, UserPasswordAndDatabaseFromTheAddress) {
  const RedisServer server({"--requirepass", "a/b@c:d"});
  const std::string at = "127.0.0.1:" + std::to_string(server.port());
  ExpectSame("redis://:a%2Fb%40c%3Ad@" + at + "/5", "redis://default:a%2Fb%40c%3Ad@" + at + "/5");
  std::string error;
  EXPECT_EQ(Create("redis://:wrong@" + at, &error), nullptr);
  EXPECT_NE(error.find("WRONGPASS"), std::string::npos) << error;
  EXPECT_EQ(error.find("wrong"), std::string::npos) << error;
  EXPECT_EQ(Create("redis://" + at, &error), nullptr);
  EXPECT_NE(error.find("NOAUTH"), std::string::npos) << error;
  EXPECT_EQ(Create("redis://:a%2Fb%40c%3Ad@" + at + "/16", &error), nullptr);
  EXPECT_NE(error.find("out of range (database 16;"), std::string::npos) << error;
}

// Redis's error for an unknown command quotes the arguments, long ones shortened.
TEST_F(RedisConnectTest, ServerWithoutAuthDoesNotRevealThePassword) {
  const RedisServer server({"--rename-command", "AUTH", "nobody-knows"});
  const std::string at = "127.0.0.1:" + std::to_string(server.port());
  for (const std::string& password : {std::string("hush"), std::string(200, 'h')}) {
    std::string error;
    EXPECT_EQ(Create("redis://name:" + password + "@" + at, &error), nullptr);
    EXPECT_NE(error.find("unknown command"), std::string::npos) << error;
    EXPECT_EQ(error.find("name"), std::string::npos) << error;
    EXPECT_EQ(error.find(password.substr(0, 4)), std::string::npos) << error;
  }
}

TEST_F(RedisConnectTest, DatabasesStaySeparateAfterAReconnect) {
  RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
  std::string error;
  const auto third = Create("redis://" + server.address() + "/3", &error);
  const auto first = Create(server.address(), &error);
  ASSERT_NE(third, nullptr) << error;
  EXPECT_EQ(third->AddKey("key"), AddResult::kNew);
  EXPECT_EQ(first->MayMatch("key"), Answer::kNo);
  server.Restart();
  EXPECT_EQ(third->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(third->MayMatch("absent"), Answer::kNo);
  EXPECT_EQ(first->AddKey("other"), AddResult::kNew) << first->error();
  EXPECT_EQ(third->MayMatch("other"), Answer::kNo);
}

TEST_F(RedisConnectTest, UnixSocket) {
  const TempDir dir;
  const std::string path = dir.Path("redis.sock");
  const RedisServer server({"--unixsocket", path});
  ExpectSame("unix://" + path + "?db=2", "redis://" + server.address() + "/2");
  std::string error;
  EXPECT_EQ(Create("unix://" + path + "x", &error), nullptr);
  EXPECT_NE(error.find(path + "x: cannot connect: No such file"), std::string::npos) << error;
}

TEST_F(RedisConnectTest, ClusterHasDatabase0Only) {
  const RedisServer server({"--cluster-enabled", "yes"});
  std::string error;
  EXPECT_EQ(Create("redis://" + server.address() + "/1", &error), nullptr);
  EXPECT_NE(error.find("SELECT is not allowed in cluster mode (database 1;"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace bloomline::tests
