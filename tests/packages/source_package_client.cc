// Writes filters of every format and layout, with each kernel of this CPU, to stdout.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/cpu.h"
#include "bloomline/filter.h"

namespace {

constexpr uint64_t kNumKeys = 100000;

std::string Key(uint64_t i) { return "key " + std::to_string(i * 7919); }

template <typename Filter>
void Write(Filter* filter) {
  for (uint64_t i = 0; i < kNumKeys; ++i) filter->AddKey(Key(i));
  std::string bytes, error;
  if (!filter->ToBytes(&bytes, &error)) std::exit(1);
  std::cout << bytes;
}

}  // namespace

int main() {
  std::string error;
  int num_kernels = 0;
  for (const bloomline::KernelInfo& kernel : bloomline::Kernels()) {
    if (!kernel.supported) continue;
    if (!bloomline::ForceKernel(kernel.name, &error)) return 1;
    ++num_kernels;
    for (const auto format : {bloomline::Format::kBlocked, bloomline::Format::kRibbon}) {
      bloomline::FilterOptions options;
      options.format = format;
      bloomline::FilterBuilder builder(options);
      for (uint64_t i = 0; i < kNumKeys; ++i) builder.AddKey(Key(i));
      std::cout << builder.Finish();
    }
    for (const auto layout :
         {bloomline::BloomLayout::kBlocked, bloomline::BloomLayout::kStandard}) {
      bloomline::BloomFilterOptions options;
      options.capacity = kNumKeys;
      options.layout = layout;
      const auto filter = bloomline::BloomFilter::Create(options, &error);
      if (filter == nullptr) return 1;
      Write(filter.get());
    }
    bloomline::CountingBloomFilterOptions options;
    options.capacity = kNumKeys;
    const auto filter = bloomline::CountingBloomFilter::Create(options, &error);
    if (filter == nullptr) return 1;
    Write(filter.get());
  }
  std::cerr << num_kernels << " kernels\n";
  return 0;
}
