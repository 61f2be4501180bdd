// Filters and zeroed buffers for queries, at known offsets from a cache-line boundary.
#include <cstring>
#include <new>

#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/support/keys.h"

namespace bloomline::bench {

PlacedBytes::PlacedBytes(size_t num_zeros, int offset) : offset_(offset), size_(num_zeros) {
  // Large buffers begin on a page boundary, so that every offset touches the same number of pages.
  const size_t alignment = num_zeros < 4096 ? kCacheLineBytes : 4096;
  const size_t wanted = static_cast<size_t>(offset) + num_zeros;
  const size_t rounded = (wanted + alignment - 1) / alignment * alignment;
  memory_.reset(static_cast<char*>(std::aligned_alloc(alignment, rounded)));
  if (memory_ == nullptr) throw std::bad_alloc();
  // This also allocates the pages: untouched ones would all be the same page of zeros.
  std::memset(memory_.get(), 0, rounded);
}

PlacedBytes::PlacedBytes(std::string_view bytes, int offset) : PlacedBytes(bytes.size(), offset) {
  std::memcpy(data(), bytes.data(), bytes.size());
}

std::string_view FilterStore::Get(const Subject& subject, uint64_t num_keys, int bits_per_key,
                                  int offset) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [entry, is_new] =
      filters_.try_emplace({subject.family, num_keys, bits_per_key, offset});
  if (is_new) {
    entry->second = PlacedBytes(subject.Build(num_keys, key_bytes_, bits_per_key), offset);
  }
  return entry->second.view();
}

PlacedBytes& FilterStore::Zeros(uint64_t num_keys, int bits_per_key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [entry, is_new] = filters_.try_emplace({"zeros", num_keys, bits_per_key, 0});
  if (is_new) {
    const size_t bytes = num_keys * static_cast<size_t>(bits_per_key) / 8;
    entry->second =
        PlacedBytes((bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes, 0);
  }
  return entry->second;
}

void WarmUp(std::string_view bytes) {
  constexpr uint64_t kTouchesPerLine = 8;
  const uint64_t touches = kTouchesPerLine * (bytes.size() / kCacheLineBytes + 1);
  unsigned sum = 0;
  for (uint64_t i = 0; i < touches; ++i) {
    sum += static_cast<unsigned char>(bytes[(Mix(i) >> 32) * bytes.size() >> 32]);
  }
  benchmark::DoNotOptimize(sum);
}

}  // namespace bloomline::bench
