// Filters and empty buffers that queries go to, at a known place in a cache line.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_STORE_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_STORE_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>

#include "db_bench_ext/filters/subjects.h"

namespace bloomline::bench {

constexpr size_t kCacheLineBytes = 64;

// Where RocksDB's filters usually begin: malloc gives large blocks at 16 bytes past a page.
constexpr int kHeapOffset = 16;

// Owns bytes that begin `offset` bytes past a 64-byte boundary.
class PlacedBytes {
 public:
  PlacedBytes() = default;
  PlacedBytes(std::string_view bytes, int offset);
  PlacedBytes(size_t num_zeros, int offset);

  char* data() { return memory_.get() + offset_; }
  size_t size() const { return size_; }
  std::string_view view() { return {data(), size_}; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  int offset_ = 0;
  size_t size_ = 0;
};

// Builds each filter once, when it is first asked for. Thread-safe.
class FilterStore {
 public:
  explicit FilterStore(size_t key_bytes) : key_bytes_(key_bytes) {}

  std::string_view Get(const Subject& subject, uint64_t num_keys, int bits_per_key, int offset);

  // Zeros as large as `subject`'s filter would be, rounded up to whole lines.
  PlacedBytes& Zeros(uint64_t num_keys, int bits_per_key);

 private:
  using Key = std::tuple<std::string, uint64_t, int, int>;  // family, keys, bits, offset

  const size_t key_bytes_;
  std::mutex mutex_;
  std::map<Key, PlacedBytes> filters_;
};

// Brings the bytes into all caches that can hold them, since other filters were asked in between.
// Random order and several touches of each line are needed: third-level caches keep what was used
// more than once, and after one pass the first million queries to a filter of 12 MB would still
// take up to three times as long as the later ones.
void WarmUp(std::string_view bytes);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_STORE_H_
