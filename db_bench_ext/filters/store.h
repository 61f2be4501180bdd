// Filters and zeroed buffers for queries, at known offsets from a cache-line boundary.
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

// Where RocksDB's filters usually begin: malloc returns large blocks 16 bytes past a page boundary.
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

// Builds each filter at the first Get and keeps it. Thread-safe.
class FilterStore {
 public:
  explicit FilterStore(size_t key_bytes) : key_bytes_(key_bytes) {}

  std::string_view Get(const Subject& subject, uint64_t num_keys, int bits_per_key, int offset);

  // As many zero bytes as a filter of this size has, rounded up to whole cache lines.
  PlacedBytes& Zeros(uint64_t num_keys, int bits_per_key);

 private:
  using Key = std::tuple<std::string, uint64_t, int, int>;  // family, keys, bits, offset

  const size_t key_bytes_;
  std::mutex mutex_;
  std::map<Key, PlacedBytes> filters_;
};

// Brings the bytes back into all caches that can hold them, after queries to other filters. This
// takes several accesses to each line in random order: third-level caches keep what was used more
// than once, and after a single pass the first million queries to a filter of 12 MB still took up
// to three times as long as later ones.
void WarmUp(std::string_view bytes);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_STORE_H_
