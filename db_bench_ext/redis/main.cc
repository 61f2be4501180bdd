// Compares a shared filter on a Redis server with the bit-by-bit scheme.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/report.h"
#include "db_bench_ext/support/timing.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/redis/command.h"
#include "src/redis/redis_layout.h"
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
class BitByBit : public Subject {
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
    std::vector<redis::Command> commands(n);
    for (size_t i = 0; i < n; ++i) {
      commands[i].slot = redis::KeySlot(kName);
      encode(i, &commands[i].bytes);
    }
    router_->Run(&commands);
    bits_.clear();
    for (const redis::Command& command : commands) {
      if (command.reply == nullptr) Die(command.error);
      bits_.push_back(static_cast<char>(command.reply->integer));
    }
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

  std::unique_ptr<redis::Router> router_;
  uint64_t num_bytes_ = 0;
  kernels::ProbePair pair_{};
  std::vector<char> bits_;
};

std::string ServerVersion(const std::string& server) {
  redis::Endpoint endpoint;
  std::string error;
  if (!redis::ParseEndpoint(server, &endpoint)) Die("'" + server + "' is not host:port");
  const auto connection = redis::Connection::Open(endpoint, Servers(server), &error);
  if (connection == nullptr) Die(error);
  const redis::ReplyPtr reply = connection->Ask({"INFO", "server"}, &error);
  if (reply == nullptr) Die(error);
  const std::string text(redis::Text(*reply));
  const size_t start = text.find("redis_version:") + 14;
  return text.substr(start, text.find('\r', start) - start);
}

struct Flags {
  std::string server;
  uint64_t num_keys = 1000000;
  uint64_t num_singles = 20000;
  int rounds = 5;
  std::string out_directory;
};

// Keys per second by round, and their names in the CSV and the table.
enum Column { kAddBatch, kAddSingle, kMissingBatch, kMissingSingle, kStoredBatch, kStoredSingle };
constexpr const char* kColumns[][2] = {
    {"add_batch", "add, batch"},         {"add_single", "single"},
    {"missing_batch", "missing, batch"}, {"missing_single", "single"},
    {"stored_batch", "stored, batch"},   {"stored_single", "single"}};

struct Result {
  std::array<std::vector<double>, std::size(kColumns)> keys_per_second;
  uint64_t missing_queries = 0;
  uint64_t false_positives = 0;
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

  // One round of one subject: adds all keys, then queries. The number of stored keys that did not
  // match.
  uint64_t Round(Subject* subject, Result* result) {
    const uint64_t batched = flags_.num_keys - flags_.num_singles;
    const auto add = [&](size_t n, const std::string_view* keys) { subject->AddKeys(n, keys); };
    subject->Begin(flags_.num_keys);
    Time(kAddBatch, batched, result, [&] { InBatches(stored_, 0, batched, kBatchKeys, add); });
    Time(kAddSingle, flags_.num_singles, result,
         [&] { InBatches(stored_, batched, flags_.num_keys, 1, add); });
    const size_t false_positives =
        CountAllMatches(subject, missing_, kMissingBatch, kMissingSingle, result);
    const size_t found = CountAllMatches(subject, stored_, kStoredBatch, kStoredSingle, result);
    result->missing_queries += missing_.size + flags_.num_singles;
    result->false_positives += false_positives;
    result->num_bytes = subject->num_bytes();
    return stored_.size + flags_.num_singles - found;
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
    result->keys_per_second[column].push_back(static_cast<double>(num_keys) / SecondsOf(work));
  }

  const Flags flags_;
  KeyBatch stored_;
  KeyBatch missing_;
};

Row MakeRow(const Subject& subject, const Result& result, uint64_t num_keys) {
  Row row;
  row.Word("subject", "1000 keys/s", subject.name());
  for (size_t i = 0; i < std::size(kColumns); ++i)
    row.Rounds(kColumns[i][0], kColumns[i][1], SpreadOf(result.keys_per_second[i]), 1, 1e-3);
  return row
      .Number(
          "fpr", "FPR %",
          static_cast<double>(result.false_positives) / static_cast<double>(result.missing_queries),
          4, 100)
      .Number("bits_per_key", "bits/key",
              static_cast<double>(result.num_bytes) * 8 / static_cast<double>(num_keys), 3)
      .Word("machine", "", MachineInOneLine());
}

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  CommandLine line(
      "redis_bench",
      "Compares a shared filter on a Redis server with the bit-by-bit scheme (7 SETBIT or GETBIT\n"
      "per key), at a false-positive rate of 1 % and on one connection. Exit status 1 if a key "
      "was\n"
      "lost.");
  line.AddRequired("--server", &flags.server);
  line.AddNumber("--keys", &flags.num_keys, uint64_t{1000}, uint64_t{100000000});
  line.AddRounds(&flags.rounds);
  line.AddOut(&flags.out_directory);
  if (!line.Parse(argc, argv, exit_code)) return std::nullopt;
  flags.num_singles = std::min(flags.num_singles, flags.num_keys / 2);
  return flags;
}

int Run(const Flags& flags) {
  std::filesystem::create_directories(flags.out_directory);
  Output output;
  output.Print(DescribeEnvironment() + "Redis       " + ServerVersion(flags.server) +
               "\nrun         " + std::to_string(flags.num_keys) + " keys of " +
               std::to_string(kKeyBytes) + " bytes, batches of " + std::to_string(kBatchKeys) +
               ", " + std::to_string(flags.num_singles) + " single calls, median of " +
               std::to_string(flags.rounds) + " rounds\n\n");
  std::vector<std::unique_ptr<Subject>> subjects;
  subjects.push_back(std::make_unique<AtomicFilter>(flags.server));
  subjects.push_back(std::make_unique<BitByBit>(flags.server));
  std::vector<Result> results(subjects.size());
  Bench bench(flags);
  uint64_t lost = 0;
  ExpectSteps(static_cast<size_t>(flags.rounds) * subjects.size());
  InTurns(flags.rounds, subjects.size(), [&](int, size_t i) {
    Begin(subjects[i]->name());
    lost += bench.Round(subjects[i].get(), &results[i]);
    return 0;
  });
  std::vector<Row> rows;
  for (size_t i = 0; i < subjects.size(); ++i)
    rows.push_back(MakeRow(*subjects[i], results[i], flags.num_keys));
  output.Print(Table(rows, 1));
  const int status = output.PrintVerdict(lost);
  const std::filesystem::path out(flags.out_directory);
  WriteFile(out / "redis.txt", output.text());
  WriteFile(out / "redis.csv", Csv(rows));
  return status;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  using namespace bloomline::bench;  // nothing else is here
  return Main("redis_bench", argc, argv, ParseFlags, Run);
}
