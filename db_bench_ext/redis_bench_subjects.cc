#include "db_bench_ext/redis_bench_subjects.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "bloomline/redis_bloom_filter.h"
#include "bloomline/sizing.h"
#include "src/format/hash.h"
#include "src/kernels/blocked/blocks.h"
#include "src/kernels/kernel.h"
#include "src/kernels/probe_sequence.h"
#include "src/redis/command.h"
#include "src/redis/router.h"

namespace bloomline::bench {
namespace {

constexpr double kRate = 0.01;
constexpr const char* kName = "bloomline-redis-bench";

[[noreturn]] void Die(const std::string& reason) {
  std::fprintf(stderr, "redis_bench: %s\n", reason.c_str());
  std::exit(1);
}

RedisServers Servers(const std::string& server) {
  RedisServers servers;
  servers.servers = {server};
  servers.command_timeout_ms = 60000;
  servers.when_unavailable = WhenUnavailable::kError;
  return servers;
}

class SharedFilterSubject : public RedisBenchSubject {
 public:
  explicit SharedFilterSubject(const std::string& server) : servers_(Servers(server)) {}
  ~SharedFilterSubject() override { SharedBloomFilter::Delete(servers_, kName, nullptr); }

  const char* name() const override { return "bloomline"; }

  void Begin(uint64_t num_keys) override {
    std::string error;
    SharedBloomFilterOptions options;
    options.capacity = num_keys;
    options.false_positive_rate = kRate;
    if (!SharedBloomFilter::Delete(servers_, kName, &error)) Die(error);
    filter_ = SharedBloomFilter::Create(servers_, kName, options, &error);
    if (filter_ == nullptr) Die(error);
  }

  void AddOne(std::string_view key) override {
    if (filter_->AddKey(key) == AddResult::kFailed) Die(filter_->error());
  }

  void AddKeys(const std::vector<std::string_view>& keys) override {
    results_.resize(keys.size());
    if (!filter_->AddKeys(keys.size(), keys.data(), results_.data())) Die(filter_->error());
  }

  bool AskOne(std::string_view key) override {
    const Answer answer = filter_->MayMatch(key);
    if (answer == Answer::kError) Die(filter_->error());
    return answer == Answer::kMaybe;
  }

  size_t AskMany(const std::vector<std::string_view>& keys) override {
    answers_.resize(keys.size());
    if (!filter_->MayMatch(keys.size(), keys.data(), answers_.data())) Die(filter_->error());
    return static_cast<size_t>(std::count(answers_.begin(), answers_.end(), Answer::kMaybe));
  }

  uint64_t num_bytes() const override { return filter_->num_bytes(); }

 private:
  const RedisServers servers_;
  std::unique_ptr<SharedBloomFilter> filter_;
  std::vector<AddResult> results_;
  std::vector<Answer> answers_;
};

// Through the same router, so the same pipelining.
class BitByBitSubject : public RedisBenchSubject, private redis::Batch {
 public:
  explicit BitByBitSubject(const std::string& server) {
    std::string error;
    router_ = redis::Router::Connect(Servers(server), &error);
    if (router_ == nullptr) Die(error);
  }
  ~BitByBitSubject() override { Remove(); }

  const char* name() const override { return "bit by bit"; }

  void Begin(uint64_t num_keys) override {
    const double bits_per_key =
        -kBitByBitProbes / std::log1p(-std::pow(kRate, 1.0 / kBitByBitProbes));
    num_bytes_ = static_cast<uint64_t>(std::ceil(static_cast<double>(num_keys) * bits_per_key / 8));
    Remove();
    Run(1, [&](size_t, std::string* out) {
      const std::string last = std::to_string(num_bytes_ - 1);
      redis::AppendCommand({"SETRANGE", kName, last, std::string_view("\0", 1)}, out);
    });
  }

  void AddOne(std::string_view key) override { AddKeys({key}); }

  void AddKeys(const std::vector<std::string_view>& keys) override {
    Run(keys.size() * kBitByBitProbes, [&](size_t i, std::string* out) {
      out->append("*4\r\n$6\r\nSETBIT\r\n");
      redis::AppendArgument(kName, out);
      redis::AppendArgument(Position(keys, i), out);
      out->append("$1\r\n1\r\n");
    });
  }

  bool AskOne(std::string_view key) override { return AskMany({key}) == 1; }

  size_t AskMany(const std::vector<std::string_view>& keys) override {
    Run(keys.size() * kBitByBitProbes, [&](size_t i, std::string* out) {
      out->append("*3\r\n$6\r\nGETBIT\r\n");
      redis::AppendArgument(kName, out);
      redis::AppendArgument(Position(keys, i), out);
    });
    size_t may_match = 0;
    for (size_t first = 0; first < bits_.size(); first += kBitByBitProbes) {
      may_match += std::all_of(&bits_[first], &bits_[first] + kBitByBitProbes,
                               [](char bit) { return bit == 1; });
    }
    return may_match;
  }

  uint64_t num_bytes() const override { return num_bytes_; }

 private:
  template <typename F>
  void Run(size_t n, F encode) {
    bits_.assign(n, 0);
    encode_ = encode;
    router_->Run(n, this);
  }

  void Remove() {
    Run(1, [](size_t, std::string* out) { redis::AppendCommand({"DEL", kName}, out); });
  }

  uint64_t Position(const std::vector<std::string_view>& keys, size_t i) {
    const size_t key = i / kBitByBitProbes;
    const int probe = static_cast<int>(i % kBitByBitProbes);
    if (probe == 0) pair_ = kernels::FlatPair(core::Hash64(keys[key], 0));
    return kernels::FlatBit(kernels::Probe(pair_, probe), static_cast<uint32_t>(num_bytes_ * 8));
  }

  uint16_t Slot(size_t) const override { return redis::KeySlot(kName); }
  void Encode(size_t i, std::string* out) override { encode_(i, out); }
  void OnReply(size_t i, redis::ReplyPtr reply, bool) override {
    if (redis::IsError(*reply)) Die(reply->str);
    bits_[i] = static_cast<char>(reply->integer);
  }
  void OnFailure(size_t, const std::string& error) override { Die(error); }

  std::unique_ptr<redis::Router> router_;
  uint64_t num_bytes_ = 0;
  kernels::ProbePair pair_{};
  std::function<void(size_t, std::string*)> encode_;
  std::vector<char> bits_;
};

class InMemorySubject : public RedisBenchSubject {
 public:
  const char* name() const override { return "in memory"; }

  void Begin(uint64_t num_keys) override {
    const double bits_per_key = BitsPerKeyForFalsePositiveRate(Format::kBlocked, kRate);
    num_lines_ = static_cast<uint64_t>(std::ceil(static_cast<double>(num_keys) * bits_per_key /
                                                 static_cast<double>(kernels::kBlockBits)));
    num_probes_ = OptimalNumProbes(Format::kBlocked, bits_per_key);
    bytes_.assign(num_bytes(), '\0');
  }

  void AddOne(std::string_view key) override {
    const uint64_t hash = core::Hash64(key, 0);
    kernel_.blocked.insert_many(Lines(), 1, &hash);
  }

  void AddKeys(const std::vector<std::string_view>& keys) override {
    Hash(keys);
    kernel_.blocked.insert_many(Lines(), keys.size(), hashes_.data());
  }

  bool AskOne(std::string_view key) override {
    return kernel_.blocked.may_match(Lines(), core::Hash64(key, 0));
  }

  size_t AskMany(const std::vector<std::string_view>& keys) override {
    Hash(keys);
    const std::unique_ptr<bool[]> answers(new bool[keys.size()]);
    kernel_.blocked.may_match_many(Lines(), keys.size(), hashes_.data(), answers.get());
    return static_cast<size_t>(std::count(answers.get(), answers.get() + keys.size(), true));
  }

  uint64_t num_bytes() const override { return num_lines_ * kernels::kBlockBytes; }

 private:
  kernels::BlockedFilter Lines() const { return {bytes_.data(), num_lines_, num_probes_}; }

  void Hash(const std::vector<std::string_view>& keys) {
    hashes_.clear();
    for (const std::string_view key : keys) {
      hashes_.push_back(core::Hash64(key, 0));
      kernels::PrefetchBlock(bytes_.data(), num_lines_, kernels::kBlockBytes, hashes_.back());
    }
  }

  const kernels::Kernel& kernel_ = kernels::ActiveKernel();
  uint64_t num_lines_ = 0;
  int num_probes_ = 0;
  std::string bytes_;
  std::vector<uint64_t> hashes_;
};

std::string Info(const std::string& server, const std::string& section, const std::string& name) {
  redis::Endpoint endpoint;
  std::string error;
  if (!redis::ParseEndpoint(server, &endpoint)) Die("'" + server + "' is not host:port");
  const auto connection = redis::Connection::Open(endpoint, Servers(server), &error);
  if (connection == nullptr) Die(error);
  std::string command;
  redis::AppendCommand({"INFO", section}, &command);
  const redis::ReplyPtr reply = connection->Ask(command, &error);
  if (reply == nullptr) Die(error);
  const std::string text(redis::Text(*reply));
  const size_t at = text.find(name + ":");
  if (at == std::string::npos) Die("INFO " + section + " has no " + name);
  const size_t start = at + name.size() + 1;
  return text.substr(start, text.find('\r', start) - start);
}

}  // namespace

std::unique_ptr<RedisBenchSubject> MakeSharedFilter(const std::string& server) {
  return std::make_unique<SharedFilterSubject>(server);
}

std::unique_ptr<RedisBenchSubject> MakeBitByBit(const std::string& server) {
  return std::make_unique<BitByBitSubject>(server);
}

std::unique_ptr<RedisBenchSubject> MakeInMemory() { return std::make_unique<InMemorySubject>(); }

double ServerSeconds(const std::string& server) {
  return std::stod(Info(server, "cpu", "used_cpu_user")) +
         std::stod(Info(server, "cpu", "used_cpu_sys"));
}

std::string ServerVersion(const std::string& server) {
  return Info(server, "server", "redis_version");
}

}  // namespace bloomline::bench
