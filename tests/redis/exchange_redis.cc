// Filters on a Redis server, made on one CPU and queried on another: tests/platforms/engines.
//   exchange_redis write NAME    makes filters whose names begin with NAME
//   exchange_redis read NAME...  queries those that were made so, on any CPU
// The server's address is in BLOOMLINE_REDIS_SERVER. The reader prints the number of answers, how
// many of them are wrong, and a checksum of all answers, which is the same on all CPUs.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "tests/support/key_shapes.h"

namespace bloomline::tests {
namespace {

constexpr uint64_t kNumKeys = 20000;

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "exchange_redis: %s\n", message.c_str());
  std::exit(1);
}

RedisServers Servers() {
  const char* const server = std::getenv("BLOOMLINE_REDIS_SERVER");
  if (server == nullptr) Fail("BLOOMLINE_REDIS_SERVER is not set");
  RedisServers servers;
  servers.servers = {server};
  servers.command_timeout_ms = 20000;
  servers.when_unavailable = WhenUnavailable::kError;
  return servers;
}

struct Kind {
  const char* name;
  double rate;
  uint64_t seed;
  uint64_t shard_bytes;
};
constexpr Kind kKinds[] = {{"/small", 0.2, 0, 16 << 20},
                           {"/shards", 0.01, 0, 4096},
                           {"/seed", 1e-6, 0xfedcba9876543210, 16384}};

// The first kNumKeys are in the filter; behind each of them comes a missing neighbour.
std::vector<std::string> Keys(bool is_stored) {
  constexpr size_t kNumShapes = std::size(kAllKeyShapes);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    KeyMaker make(kAllKeyShapes[i % kNumShapes]);
    keys.emplace_back(make(i / kNumShapes * 2 + (is_stored ? 0 : 1)));
  }
  return keys;
}

void Write(const std::string& name) {
  for (const Kind& kind : kKinds) {
    SharedBloomFilterOptions options;
    options.capacity = kNumKeys;
    options.false_positive_rate = kind.rate;
    options.seed = kind.seed;
    options.shard_bytes = kind.shard_bytes;
    std::string error;
    const auto filter = SharedBloomFilter::Create(Servers(), name + kind.name, options, &error);
    if (filter == nullptr) Fail(error);
    if (!filter->AddKeys(Keys(true))) Fail(filter->error());
  }
}

bool Read(const std::string& name) {
  uint64_t num_answers = 0, num_wrong = 0, checksum = 0;
  for (const Kind& kind : kKinds) {
    std::string error;
    const auto filter = SharedBloomFilter::Open(Servers(), name + kind.name, &error);
    if (filter == nullptr) Fail(error);
    uint64_t num_excluded = 0;
    for (const bool is_stored : {true, false}) {
      const std::vector<std::string> keys = Keys(is_stored);
      std::vector<Answer> answers(keys.size());
      if (!filter->MayMatch(keys, answers.data())) Fail(filter->error());
      for (const Answer answer : answers) {
        const bool is_no = answer != Answer::kMaybe;
        num_wrong += is_no && is_stored ? 1 : 0;
        num_excluded += is_no && !is_stored ? 1 : 0;
        checksum = checksum * 31 + (is_no ? 2 : 1);
        ++num_answers;
      }
    }
    if (static_cast<double>(num_excluded) < kNumKeys * (1 - 1.2 * kind.rate)) {
      std::printf("%s%s excludes %llu of %llu missing keys\n", name.c_str(), kind.name,
                  static_cast<unsigned long long>(num_excluded),
                  static_cast<unsigned long long>(kNumKeys));
      ++num_wrong;
    }
  }
  std::printf(
      "%llu answers, %llu wrong, checksum %016llx\n", static_cast<unsigned long long>(num_answers),
      static_cast<unsigned long long>(num_wrong), static_cast<unsigned long long>(checksum));
  return num_wrong == 0;
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  const std::string command = argc > 2 ? argv[1] : "";
  if (command == "write" && argc == 3) {
    bloomline::tests::Write(argv[2]);
    return 0;
  }
  if (command != "read") {
    std::fputs("usage: exchange_redis write NAME | exchange_redis read NAME...\n", stderr);
    return 2;
  }
  bool passed = true;
  for (int i = 2; i < argc; ++i) passed = bloomline::tests::Read(argv[i]) && passed;
  return passed ? 0 : 1;
}
