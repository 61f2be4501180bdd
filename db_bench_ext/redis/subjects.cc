#include "db_bench_ext/redis/subjects.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "bloomline/bloom_filter.h"
#include "bloomline/redis_bloom_filter.h"
#include "src/filter/format/hash.h"
#include "src/filter/kernels/probe_sequence.h"
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

class AtomicFilter : public Subject {
 public:
  explicit AtomicFilter(const std::string& server) : servers_(Servers(server)) {}
  ~AtomicFilter() override { SharedBloomFilter::Delete(servers_, kName, nullptr); }

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

  void AddKey(std::string_view key) override {
    if (filter_->AddKey(key) == AddResult::kFailed) Die(filter_->error());
  }

  void AddKeys(const std::vector<std::string_view>& keys) override {
    results_.resize(keys.size());
    if (!filter_->AddKeys(keys.size(), keys.data(), results_.data())) Die(filter_->error());
  }

  bool MayMatch(std::string_view key) override {
    const Answer answer = filter_->MayMatch(key);
    if (answer == Answer::kError) Die(filter_->error());
    return answer == Answer::kMaybe;
  }

  size_t CountMatches(const std::vector<std::string_view>& keys) override {
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
class BitByBit : public Subject, private redis::Batch {
 public:
  explicit BitByBit(const std::string& server) {
    std::string error;
    router_ = redis::Router::Connect(Servers(server), &error);
    if (router_ == nullptr) Die(error);
  }
  ~BitByBit() override { Remove(); }

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

  void AddKey(std::string_view key) override { AddKeys({key}); }

  void AddKeys(const std::vector<std::string_view>& keys) override {
    Run(keys.size() * kBitByBitProbes, [&](size_t i, std::string* out) {
      out->append("*4\r\n$6\r\nSETBIT\r\n");
      redis::AppendArgument(kName, out);
      redis::AppendArgument(Position(keys, i), out);
      out->append("$1\r\n1\r\n");
    });
  }

  bool MayMatch(std::string_view key) override { return CountMatches({key}) == 1; }

  size_t CountMatches(const std::vector<std::string_view>& keys) override {
    Run(keys.size() * kBitByBitProbes, [&](size_t i, std::string* out) {
      out->append("*3\r\n$6\r\nGETBIT\r\n");
      redis::AppendArgument(kName, out);
      redis::AppendArgument(Position(keys, i), out);
    });
    size_t num_matches = 0;
    for (size_t first = 0; first < bits_.size(); first += kBitByBitProbes) {
      num_matches += std::all_of(&bits_[first], &bits_[first] + kBitByBitProbes,
                                 [](char bit) { return bit == 1; });
    }
    return num_matches;
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
    if (probe == 0) pair_ = kernels::FlatPair(filter::Hash64(keys[key], 0));
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

class InMemory : public Subject {
 public:
  const char* name() const override { return "in memory"; }

  void Begin(uint64_t num_keys) override {
    std::string error;
    BloomFilterOptions options;
    options.capacity = num_keys;
    options.false_positive_rate = kRate;
    filter_ = BloomFilter::Create(options, &error);
    if (filter_ == nullptr) Die(error);
  }

  void AddKey(std::string_view key) override { filter_->AddKey(key); }

  void AddKeys(const std::vector<std::string_view>& keys) override {
    filter_->AddKeys(keys.size(), keys.data());
  }

  bool MayMatch(std::string_view key) override { return filter_->MayMatch(key); }

  size_t CountMatches(const std::vector<std::string_view>& keys) override {
    const std::unique_ptr<bool[]> answers(new bool[keys.size()]);
    filter_->MayMatch(keys.size(), keys.data(), answers.get());
    return static_cast<size_t>(std::count(answers.get(), answers.get() + keys.size(), true));
  }

  uint64_t num_bytes() const override { return filter_->num_bits() / 8; }

 private:
  std::unique_ptr<BloomFilter> filter_;
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

std::vector<std::unique_ptr<Subject>> AllSubjects(const std::string& server) {
  std::vector<std::unique_ptr<Subject>> subjects;
  subjects.push_back(std::make_unique<AtomicFilter>(server));
  subjects.push_back(std::make_unique<BitByBit>(server));
  subjects.push_back(std::make_unique<InMemory>());
  return subjects;
}

double ServerSeconds(const std::string& server) {
  return std::stod(Info(server, "cpu", "used_cpu_user")) +
         std::stod(Info(server, "cpu", "used_cpu_sys"));
}

std::string ServerVersion(const std::string& server) {
  return Info(server, "server", "redis_version");
}

}  // namespace bloomline::bench
