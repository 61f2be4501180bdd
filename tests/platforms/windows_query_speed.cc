// The time of a query of a LevelDB policy, and what of it a thread's own variable takes: MinGW-w64
// emulates these, by a function that looks in a table of the thread. tests/platforms/windows runs
// it on Linux and under Wine, to compare the ratios.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"

namespace {

constexpr int kNumKeys = 1024;  // a filter in the first-level cache
constexpr int kRepetitions = 20;
constexpr int kRounds = 300;

// As the counts of queries are: of a kind that needs no constructor. A function of its own looks it
// up for each call.
__thread int32_t of_thread;
int32_t of_process;

__attribute__((noinline)) bool CountInThread() { return --of_thread < 0; }
__attribute__((noinline)) bool CountInProcess() { return --of_process < 0; }

// The least of the rounds, in nanoseconds per call.
template <typename Call>
double LeastTime(const Call& call) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      for (int i = 0; i < kNumKeys; ++i) call(i);
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / (kRepetitions * kNumKeys));
  }
  return least;
}

}  // namespace

int main() {
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      bloomline::NewLevelDBFilterPolicy(bloomline::FilterOptions()));
  std::vector<std::string> keys;
  for (int i = 0; i < kNumKeys; ++i) keys.push_back("key " + std::to_string(i));
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string filter;
  policy->CreateFilter(slices.data(), kNumKeys, &filter);
  int matches = 0;
  const double query = LeastTime(
      [&](int i) { matches += policy->KeyMayMatch(slices[static_cast<size_t>(i)], filter); });
  if (matches != kNumKeys * kRepetitions * kRounds) {
    std::fprintf(stderr, "windows_query_speed: %d matches\n", matches);
    return 1;
  }
  const double process = LeastTime([&](int) { matches += CountInProcess(); });
  const double thread = LeastTime([&](int) { matches += CountInThread(); });
  std::printf(
      "a query takes %.1f ns; to count in a thread's variable takes %.1f ns, in the "
      "process's %.1f ns\n",
      query, thread, process);
}
