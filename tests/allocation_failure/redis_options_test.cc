// redis_bloom_filter.h: options and addresses, without a server.
#include <memory>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/allocation_failure/redis_attempts.h"

namespace bloomline::tests {
namespace {

std::vector<RedisServers> WrongServers() {
  std::vector<RedisServers> wrong(17);
  wrong[0].servers = {};
  wrong[1].servers = {"an address that is none, however long it may be"};
  wrong[2].servers = {"redis://user:a%password@host:99999999"};
  wrong[3].servers = {"unix:///" + std::string(200, 'x')};
  wrong[4].servers = {"rediss://one-host.example:1", "redis://other-host.example:2"};
  wrong[5].servers = {"redis://a-user:a-password@one-host.example", "redis://b:c@other.example"};
  wrong[6].servers = {"redis://one-host.example:1/1", "redis://other-host.example:2/2"};
  wrong[7].tls.ca_file = "/a/file/without/an/address/that/wants/TLS.pem";
  wrong[8].username = "a user whose name needs memory";
  wrong[9].database = -1;
  wrong[10].connect_timeout_ms = 0;
  wrong[11].command_timeout_ms = 600001;
  wrong[12].max_retries = -1;
  wrong[13].give_up_ms = -1;
  wrong[14].when_unavailable = static_cast<WhenUnavailable>(99);
  wrong[15].servers = {"rediss://one-host.example:1"};  // without TLS in the build, or
  wrong[15].tls.certificate_file = "/a/certificate/that/has/no/key.pem";
  wrong[16].servers = {"redis://a-user@one-host.example"};
  return wrong;
}

TEST(Redis, InvalidServersAreRefusedWithoutMemory) {
  const std::string name = "name-that-needs-memory-of-its-own";
  for (const RedisServers& servers : WrongServers()) {
    FailEachForRedis(
        {"RedisServers::Validate", "SharedBloomFilter::Create", "SharedBloomFilter::Open",
         "SharedBloomFilter::Delete"},
        [&](Attempt* attempt) {
          const std::string name = "name-that-needs-memory-of-its-own";
          std::string invalid;
          std::string errors[3] = {Attempt::kUntouched, Attempt::kUntouched, Attempt::kUntouched};
          std::unique_ptr<SharedBloomFilter> created, opened;
          bool deleted = false;
          attempt->Call([&] {
            invalid = servers.Validate();
            created = SharedBloomFilter::Create(servers, name, RedisOptions(), &errors[0]);
            opened = SharedBloomFilter::Open(servers, name, &errors[1]);
            deleted = SharedBloomFilter::Delete(servers, name, &errors[2]);
          });
          EXPECT_NE(invalid, "");
          Attempt::CheckRefusal(created != nullptr, errors[0]);
          Attempt::CheckRefusal(opened != nullptr, errors[1]);
          Attempt::CheckRefusal(deleted, errors[2]);
        });
  }
}

TEST(Redis, InvalidOptionsAreRefusedWithoutMemory) {
  SharedBloomFilterOptions wrong[4] = {RedisOptions(), RedisOptions(), RedisOptions(),
                                       RedisOptions()};
  wrong[0].capacity = 0;
  wrong[1].false_positive_rate = 1;
  wrong[2].shard_bytes = 1;
  wrong[3].capacity = 1000000000000;
  wrong[3].shard_bytes = 4096;
  const RedisServers servers;
  const std::string name = "name";
  for (const SharedBloomFilterOptions& options : wrong) {
    FailEachForRedis({"SharedBloomFilterOptions::Validate"}, [&](Attempt* attempt) {
      std::string invalid, error = Attempt::kUntouched;
      std::unique_ptr<SharedBloomFilter> filter;
      attempt->Call([&] {
        invalid = options.Validate();
        filter = SharedBloomFilter::Create(servers, name, options, &error);
      });
      EXPECT_NE(invalid, "");
      Attempt::CheckRefusal(filter != nullptr, error);
    });
  }
  AddOptions wrong_addition[2];
  wrong_addition[0].min_replicas = -1;
  wrong_addition[1].replica_timeout_ms = 0;
  for (const AddOptions& options : wrong_addition) {
    FailEachForRedis({"AddOptions::Validate"}, [&](Attempt* attempt) {
      std::string invalid;
      attempt->Call([&] { invalid = options.Validate(); });
      EXPECT_NE(invalid, "");
    });
  }
}

TEST(Redis, ValidOptionsAreRefusedOnlyForLackOfMemory) {
  RedisServers servers;
  servers.servers = {
      "redis://a-user-of-some-length:and-a-password@a-host-of-some-length.example/3"};
  FailEachForRedis(
      {"RedisServers::Validate", "SharedBloomFilterOptions::Validate", "AddOptions::Validate"},
      [&](Attempt* attempt) {
        std::string invalid, filter_invalid, addition_invalid;
        attempt->Call([&] {
          invalid = servers.Validate();
          filter_invalid = RedisOptions().Validate();
          addition_invalid = AddOptions().Validate();
        });
        EXPECT_EQ(invalid, attempt->HasFailed() ? "out of memory" : "");
        EXPECT_EQ(filter_invalid, "");
        EXPECT_EQ(addition_invalid, "");
      });
}

}  // namespace
}  // namespace bloomline::tests
