// Compares a shared filter on a Redis server with the bit-by-bit scheme and with a filter in
// memory.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/redis/subjects.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench {
namespace {

constexpr size_t kKeyBytes = 16;
constexpr size_t kBatchKeys = 1000;

struct Flags {
  std::string server;
  uint64_t num_keys = 1000000;
  uint64_t num_singles = 20000;
  int rounds = 5;
};

// Keys number first .. first + n - 1, made before the clock starts.
class KeyRange {
 public:
  KeyRange(uint64_t first, uint64_t n) : bytes_(n * kKeyBytes, '\0') {
    for (uint64_t i = 0; i < n; ++i) WriteKey(first + i, kKeyBytes, &bytes_[i * kKeyBytes]);
  }
  size_t size() const { return bytes_.size() / kKeyBytes; }
  std::string_view operator[](size_t i) const { return {&bytes_[i * kKeyBytes], kKeyBytes}; }
  std::vector<std::string_view> Batch(size_t first) const {
    std::vector<std::string_view> batch;
    for (size_t i = first; i < std::min(first + kBatchKeys, size()); ++i) {
      batch.push_back((*this)[i]);
    }
    return batch;
  }

 private:
  std::string bytes_;
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

class Bench {
 public:
  explicit Bench(const Flags& flags)
      : flags_(flags), stored_(0, flags.num_keys), missing_(kFirstMissingIndex, flags.num_keys) {}

  // One round of one subject: adds all keys, then queries. False if a stored key did not match.
  bool Round(Subject* subject, Result* result) {
    const uint64_t batched = flags_.num_keys - flags_.num_singles;
    subject->Begin(flags_.num_keys);
    Time(kAddBatch, batched, result, [&] {
      for (size_t i = 0; i < batched; i += kBatchKeys) {
        std::vector<std::string_view> batch = stored_.Batch(i);
        batch.resize(std::min<size_t>(batch.size(), batched - i));
        subject->AddKeys(batch);
      }
    });
    Time(kAddSingle, flags_.num_singles, result, [&] {
      for (size_t i = batched; i < flags_.num_keys; ++i) subject->AddKey(stored_[i]);
    });
    const size_t false_positives =
        CountAllMatches(subject, missing_, kMissingBatch, kMissingSingle, result);
    const size_t found = CountAllMatches(subject, stored_, kStoredBatch, kStoredSingle, result);
    result->missing_queries += static_cast<double>(missing_.size() + flags_.num_singles);
    result->false_positives += static_cast<double>(false_positives);
    result->num_bytes = subject->num_bytes();
    return found == stored_.size() + flags_.num_singles;
  }

 private:
  size_t CountAllMatches(Subject* subject, const KeyRange& keys, Column batch, Column single,
                         Result* result) {
    size_t found = 0;
    Time(batch, keys.size(), result, [&] {
      for (size_t i = 0; i < keys.size(); i += kBatchKeys)
        found += subject->CountMatches(keys.Batch(i));
    });
    Time(single, flags_.num_singles, result, [&] {
      for (size_t i = 0; i < flags_.num_singles; ++i) found += subject->MayMatch(keys[i]);
    });
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
  const KeyRange stored_;
  const KeyRange missing_;
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
  for (int round = 0; round < flags.rounds; ++round) {
    for (size_t i = 0; i < subjects.size(); ++i) {
      const size_t subject = (i + static_cast<size_t>(round)) % subjects.size();
      if (!bench.Round(subjects[subject].get(), &results[subject])) {
        std::cerr << "WRONG ANSWER: " << subjects[subject]->name() << " lost keys\n";
        ok = false;
      }
    }
  }
  PrintTable(subjects, results, flags.num_keys);
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  using namespace bloomline::bench;  // NOLINT: nothing else is here
  return Main("redis_bench", argc, argv, ParseFlags, Run);
}
