// The loops of the Go module's benchmarks in C++, for tests/bindings/go --bench.
#include <bloomline/bloom_filter.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr size_t kNumKeys = 1000000, kBatchKeys = 1000;

// The best of 25 runs, in nanoseconds for each key.
template <typename F>
void Time(const char* name, F add_or_query_all) {
  double best = 1e9;
  for (int run = 0; run < 25; ++run) {
    const auto start = std::chrono::steady_clock::now();
    add_or_query_all();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / kNumKeys);
  }
  std::printf("C++ %-20s %6.1f ns/op\n", name, best);
}

}  // namespace

int main() {
  bloomline::BloomFilterOptions options;
  options.capacity = kNumKeys;
  std::string error;
  const auto filter = bloomline::BloomFilter::Create(options, &error);
  if (filter == nullptr) return 1;
  std::string text;
  for (size_t i = 0; i < kNumKeys; ++i) {
    char key[32];
    text.append(key, static_cast<size_t>(std::snprintf(key, sizeof(key), "user:%011zu", i)));
  }
  std::vector<std::string_view> keys;
  for (size_t i = 0; i < kNumKeys; ++i) keys.emplace_back(&text[16 * i], 16);

  bool all_match = true, may_match[kBatchKeys];
  Time("AddKey", [&] {
    for (const std::string_view key : keys) filter->AddKey(key);
  });
  Time("AddKeys", [&] {
    for (size_t i = 0; i < kNumKeys; i += kBatchKeys) filter->AddKeys(kBatchKeys, &keys[i]);
  });
  Time("MayMatch", [&] {
    for (const std::string_view key : keys) all_match &= filter->MayMatch(key);
  });
  Time("MayMatch, many", [&] {
    for (size_t i = 0; i < kNumKeys; i += kBatchKeys) {
      filter->MayMatch(kBatchKeys, &keys[i], may_match);
    }
    all_match &= may_match[0];
  });
  return all_match ? 0 : 1;
}
