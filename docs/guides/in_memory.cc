// Creates a Bloom filter, fills it from one thread and from two, saves it and maps the file.
// Usage: in_memory WORDS SCRATCH_DIR
#include <bloomline/atomic_bloom_filter.h>
#include <bloomline/bloom_filter.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "example.h"

using example::Require;

int main(int argc, char** argv) {
  example::RequireUsage(argc == 3, "in_memory WORDS SCRATCH_DIR");
  const std::vector<std::string> words = example::ReadLines(argv[1]);
  const std::vector<std::string_view> keys(words.begin(), words.end());
  const std::string path = std::string(argv[2]) + "/words.bloom";

  bloomline::BloomFilterOptions options;
  options.capacity = keys.size();
  options.false_positive_rate = 0.01;
  std::string error;
  std::unique_ptr<bloomline::BloomFilter> filter = bloomline::BloomFilter::Create(options, &error);
  Require(filter != nullptr, error);
  filter->AddKey(keys.front());               // one key
  filter->AddKeys(keys.size(), keys.data());  // many: several times as fast in large filters
  Require(filter->MayMatch(keys.back()), "an added key matches");
  std::printf("%zu words, estimated %llu; %.1f bits per key, FPR %.2f %%\n", keys.size(),
              static_cast<unsigned long long>(filter->EstimatedNumKeys()),
              static_cast<double>(filter->num_bits()) / static_cast<double>(keys.size()),
              100 * filter->EstimatedFalsePositiveRate());

  // Many threads add to one filter at the same time.
  auto shared = bloomline::AtomicBloomFilter::Create(options, &error);
  Require(shared != nullptr, error);
  const size_t half = keys.size() / 2;
  std::thread other([&] { shared->AddKeys(half, keys.data()); });
  shared->AddKeys(keys.size() - half, keys.data() + half);
  other.join();
  const auto from_threads = bloomline::AtomicBloomFilter::ToBloomFilter(std::move(shared));
  Require(*from_threads == *filter, "threads set the same bits");

  // Processes that map the file share its pages.
  Require(filter->Save(path, &error), error);
  const auto mapped = bloomline::MappedBloomFilter::Open(
      path, bloomline::MappedBloomFilter::Verify::kHeader, &error);
  Require(mapped != nullptr, error);
  for (const std::string_view key : keys) {
    Require(mapped->MayMatch(key), "no key is lost: " + std::string(key));
  }
  const auto loaded = bloomline::BloomFilter::Load(path, &error);
  Require(loaded != nullptr, error);
  Require(*loaded == *filter, "the loaded filter equals the saved one");
  return 0;
}
