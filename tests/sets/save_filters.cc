// Saves a filter of each kind, with 1000 keys, for the tests of the command `bloomline`.
// Usage: save_filters DIRECTORY
#include <cstdio>
#include <memory>
#include <string>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"

namespace {

template <typename Filter, typename Options>
bool Save(const Options& options, const std::string& path) {
  std::string error;
  const std::unique_ptr<Filter> filter = Filter::Create(options, &error);
  if (filter != nullptr) {
    for (int i = 0; i < 1000; ++i) filter->AddKey(std::to_string(i));
    if (filter->Save(path, &error)) return true;
  }
  std::fprintf(stderr, "%s\n", error.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string directory = argv[1];
  bloomline::BloomFilterOptions bloom;
  bloom.capacity = 1000;
  bloom.seed = 7;
  bloomline::ScalableBloomFilterOptions scalable;
  scalable.initial_capacity = 100;
  bloomline::CountingBloomFilterOptions counting;
  counting.capacity = 1000;
  const bool saved = Save<bloomline::BloomFilter>(bloom, directory + "/bloom") &&
                     Save<bloomline::ScalableBloomFilter>(scalable, directory + "/scalable") &&
                     Save<bloomline::CountingBloomFilter>(counting, directory + "/counting");
  return saved ? 0 : 1;
}
