// Compares a shared filter on a Redis server with the bit-by-bit scheme and with a filter in
// memory.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "bloomline/redis_bloom_filter.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/timing.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/redis/command.h"
#include "src/redis/router.h"

namespace bloomline::bench {
namespace {

// Number of probes of the bit-by-bit scheme: the best one for a standard Bloom filter at 1 %.
constexpr int kBitByBitProbes = 7;

// All methods end the process, with a message, if the server fails.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual const char* name() const = 0;
  // Starts with an empty filter for num_keys keys.
  virtual void Begin(uint64_t num_keys) = 0;
  virtual void AddKeys(size_t n, const std::string_view* keys) = 0;
  // The number of keys that may match.
  virtual size_t CountMatches(size_t n, const std::string_view* keys) = 0;
  virtual uint64_t num_bytes() const = 0;
};

constexpr double kRate = 0.01;
constexpr size_t kBatchKeys = 1000;
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

// A SharedBloomFilter.
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

  void AddKeys(size_t n, const std::string_view* keys) override {
    results_.resize(n);
    if (!filter_->AddKeys(n, keys, results_.data())) Die(filter_->error());
  }

  size_t CountMatches(size_t n, const std::string_view* keys) override {
    answers_.resize(n);
    if (!filter_->MayMatch(n, keys, answers_.data())) Die(filter_->error());
    return static_cast<size_t>(std::count(answers_.begin(), answers_.end(), Answer::kMaybe));
  }

  uint64_t num_bytes() const override { return filter_->num_bytes(); }

 private:
  const RedisServers servers_;
  std::unique_ptr<SharedBloomFilter> filter_;
  std::vector<AddResult> results_;
  std::vector<Answer> answers_;
};

// One SETBIT or GETBIT for each bit of a key. The commands of a call are in flight at once, through
// the same router, so with the same pipelining. The bits are those of a standard Bloom filter at 1
// % in one string.
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

  void AddKeys(size_t n, const std::string_view* keys) override {
    Run(n * kBitByBitProbes, [&](size_t i, std::string* out) {
      out->append("*4\r\n$6\r\nSETBIT\r\n");
      redis::AppendArgument(kName, out);
      redis::AppendArgument(Position(keys, i), out);
      out->append("$1\r\n1\r\n");
    });
  }

  size_t CountMatches(size_t n, const std::string_view* keys) override {
    Run(n * kBitByBitProbes, [&](size_t i, std::string* out) {
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

  uint64_t Position(const std::string_view* keys, size_t i) {
    const size_t key = i / kBitByBitProbes;
    const int probe = static_cast<int>(i % kBitByBitProbes);
    if (probe == 0) pair_ = kernels::FlatPair(filter::Hash64(keys[key], 0));
    return kernels::FlatBit(kernels::Probe(pair_, probe), static_cast<uint32_t>(num_bytes_ * 8));
  }

  uint16_t Slot(size_t) const override { return redis::KeySlot(kName); }
  void Encode(size_t i, bool, std::string* out) override { encode_(i, out); }
  bool MayLackKey(size_t, const redisReply&) const override { return false; }
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

  void AddKeys(size_t n, const std::string_view* keys) override { filter_->AddKeys(n, keys); }

  size_t CountMatches(size_t n, const std::string_view* keys) override {
    filter_->MayMatch(n, keys, answers_);
    return static_cast<size_t>(std::count(answers_, answers_ + n, true));
  }

  uint64_t num_bytes() const override { return filter_->num_bits() / 8; }

 private:
  std::unique_ptr<BloomFilter> filter_;
  bool answers_[kBatchKeys];
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

std::vector<std::unique_ptr<Subject>> AllSubjects(const std::string& server) {
  std::vector<std::unique_ptr<Subject>> subjects;
  subjects.push_back(std::make_unique<AtomicFilter>(server));
  subjects.push_back(std::make_unique<BitByBit>(server));
  subjects.push_back(std::make_unique<InMemory>());
  return subjects;
}

// Processor time that the server has used, in seconds.
double ServerSeconds(const std::string& server) {
  return std::stod(Info(server, "cpu", "used_cpu_user")) +
         std::stod(Info(server, "cpu", "used_cpu_sys"));
}

std::string ServerVersion(const std::string& server) {
  return Info(server, "server", "redis_version");
}

struct Flags {
  std::string server;
  uint64_t num_keys = 1000000;
  uint64_t num_singles = 20000;
  int rounds = 5;
};

enum Column {
  kAddBatch,
  kAddSingle,
  kMissingBatch,
  kMissingSingle,
  kStoredBatch,
  kStoredSingle,
  kNumColumns
};
constexpr const char* kColumnNames[kNumColumns] = {"Add, batch",     "Add, single",
                                                   "missing, batch", "missing, single",
                                                   "stored, batch",  "stored, single"};

struct Result {
  std::array<std::vector<double>, kNumColumns> keys_per_second;
  std::array<std::vector<double>, kNumColumns> server_us;
  double missing_queries = 0;
  double false_positives = 0;
  uint64_t num_bytes = 0;
};

// call(n, keys) for the keys from `first` to `end`, at most `most` at once.
template <typename F>
void InBatches(const KeyBatch& keys, size_t first, size_t end, size_t most, F call) {
  for (size_t i = first; i < end; i += most) call(std::min(most, end - i), &keys.views[i]);
}

class Bench {
 public:
  explicit Bench(const Flags& flags)
      : flags_(flags), stored_(flags.num_keys), missing_(flags.num_keys) {
    stored_.Fill(0, 1, flags.num_keys);
    missing_.Fill(kFirstMissingIndex, 1, flags.num_keys);
  }

  // One round of one subject: adds all keys, then queries. False if a stored key did not match.
  bool Round(Subject* subject, Result* result) {
    const uint64_t batched = flags_.num_keys - flags_.num_singles;
    const auto add = [&](size_t n, const std::string_view* keys) { subject->AddKeys(n, keys); };
    subject->Begin(flags_.num_keys);
    Time(kAddBatch, batched, result, [&] { InBatches(stored_, 0, batched, kBatchKeys, add); });
    Time(kAddSingle, flags_.num_singles, result,
         [&] { InBatches(stored_, batched, flags_.num_keys, 1, add); });
    const size_t false_positives =
        CountAllMatches(subject, missing_, kMissingBatch, kMissingSingle, result);
    const size_t found = CountAllMatches(subject, stored_, kStoredBatch, kStoredSingle, result);
    result->missing_queries += static_cast<double>(missing_.size + flags_.num_singles);
    result->false_positives += static_cast<double>(false_positives);
    result->num_bytes = subject->num_bytes();
    return found == stored_.size + flags_.num_singles;
  }

 private:
  size_t CountAllMatches(Subject* subject, const KeyBatch& keys, Column batch, Column single,
                         Result* result) {
    size_t found = 0;
    const auto count = [&](size_t n, const std::string_view* of) {
      found += subject->CountMatches(n, of);
    };
    Time(batch, keys.size, result, [&] { InBatches(keys, 0, keys.size, kBatchKeys, count); });
    Time(single, flags_.num_singles, result,
         [&] { InBatches(keys, 0, flags_.num_singles, 1, count); });
    return found;
  }

  void Time(Column column, uint64_t num_keys, Result* result, const std::function<void()>& work) {
    const double server_before = ServerSeconds(flags_.server);
    const double seconds = SecondsOf(work);
    const double server = ServerSeconds(flags_.server) - server_before;
    const double n = static_cast<double>(num_keys);
    result->keys_per_second[column].push_back(n / seconds);
    result->server_us[column].push_back(server / n * 1e6);
  }

  const Flags flags_;
  KeyBatch stored_;
  KeyBatch missing_;
};

void PrintTable(const std::vector<std::unique_ptr<Subject>>& subjects,
                const std::vector<Result>& results, uint64_t num_keys) {
  const auto speed = [&](size_t subject, int column) {
    return Median(results[subject].keys_per_second[static_cast<size_t>(column)]);
  };
  std::printf("\n%-16s", "1000 keys/s");
  for (const auto& subject : subjects) std::printf(" %12s", subject->name());
  std::printf("   x one key's bits   x batch   server us/key (bloomline, bit by bit)\n");
  for (int column = 0; column < kNumColumns; ++column) {
    std::printf("%-16s", kColumnNames[column]);
    for (size_t i = 0; i < subjects.size(); ++i) {
      std::printf(" %12.1f", speed(i, column) / 1000);
    }
    // Bit by bit with the bits of one key in flight, and with those of a batch.
    const int single = column / 2 * 2 + 1;
    const int batch = column / 2 * 2;
    std::printf("   %16.2f   %7.2f   %.2f, %.2f\n", speed(0, column) / speed(1, single),
                speed(0, column) / speed(1, batch),
                Median(results[0].server_us[static_cast<size_t>(column)]),
                Median(results[1].server_us[static_cast<size_t>(column)]));
  }
  for (size_t i = 0; i < subjects.size(); ++i) {
    std::printf(
        "%-12s FPR %.4f %%, %.3f bits per key, %.4f of bit by bit\n", subjects[i]->name(),
        100 * results[i].false_positives / results[i].missing_queries,
        static_cast<double>(results[i].num_bytes) * 8 / static_cast<double>(num_keys),
        static_cast<double>(results[i].num_bytes) / static_cast<double>(results[1].num_bytes));
  }
}

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  CLI::App app(
      "Compares a shared filter on a Redis server with the bit-by-bit scheme (7 SETBIT or GETBIT\n"
      "per key) and with a filter in this process's memory, at a false-positive rate of 1 % and\n"
      "on one connection. Exit status 1 if a key was lost.",
      "db_bench_ext/run_redis");
  app.add_option("--server", flags.server,
                 "host:port of a Redis server without a password (default: db_bench_ext/run_redis "
                 "starts one)")
      ->required();
  app.add_option("--keys", flags.num_keys, "keys in the filter (default: 1000000)")
      ->check(CLI::Range(1000, 100000000));
  AddRounds(&app, &flags.rounds, "rounds", "5");
  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  flags.num_singles = std::min(flags.num_singles, flags.num_keys / 2);
  return flags;
}

int Run(const Flags& flags) {
  std::cout << DescribeEnvironment() << "Redis       " << ServerVersion(flags.server) << " at "
            << flags.server << "\nrun         " << flags.num_keys << " keys of " << kKeyBytes
            << " bytes, batches of " << kBatchKeys << ", " << flags.num_singles
            << " single calls, median of " << flags.rounds << " rounds\n"
            << std::flush;
  const std::vector<std::unique_ptr<Subject>> subjects = AllSubjects(flags.server);
  std::vector<Result> results(subjects.size());
  Bench bench(flags);
  bool ok = true;
  InTurns(flags.rounds, subjects.size(), [&](int, size_t subject) {
    const bool found_all = bench.Round(subjects[subject].get(), &results[subject]);
    if (!found_all) std::cerr << "WRONG ANSWER: " << subjects[subject]->name() << " lost keys\n";
    ok = ok && found_all;
    return found_all;
  });
  PrintTable(subjects, results, flags.num_keys);
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  using namespace bloomline::bench;  // NOLINT: nothing else is here
  return Main("redis_bench", argc, argv, ParseFlags, Run);
}
