// As src/bindings/rust/bloomline/benches/query.rs, in C++ and through the C functions.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "bloomline/c.h"

template <typename Query>
void Measure(const char* name, const std::vector<std::string>& keys, Query query) {
  double best = 1e9;
  size_t matches = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& key : keys) matches += query(key) ? 1 : 0;
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / static_cast<double>(keys.size()));
  }
  std::printf("%s  %.2f ns (%zu matches)\n", name, best, matches);
}

int main() {
  std::vector<std::string> keys;
  for (int i = 0; i < 4096; ++i) {
    char key[17];
    std::snprintf(key, sizeof(key), "%016d", i);
    keys.push_back(key);
  }
  bloomline::BloomFilterOptions options;
  options.capacity = 100000;
  std::string error;
  const auto filter = bloomline::BloomFilter::Create(options, &error);
  for (size_t i = 0; i < keys.size(); i += 2) filter->AddKey(keys[i]);
  std::string bytes;
  if (!filter->ToBytes(&bytes, &error)) return 1;
  bloomline_bloom_t* const c = bloomline_bloom_from_bytes(bytes.data(), bytes.size(), nullptr);
  Measure("C++   MayMatch", keys, [&](const std::string& key) { return filter->MayMatch(key); });
  Measure("C     may_match", keys, [&](const std::string& key) {
    return bloomline_bloom_may_match(c, key.data(), key.size()) != 0;
  });
  bloomline_bloom_destroy(c);
}
