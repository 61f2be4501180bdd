// Sizes of filters that fill the memory that the allocator gives for them:
// BlockBasedTableOptions::optimize_filters_for_memory.
//
// RocksDB reads a filter into an allocation of its own in the block cache, and charges the cache
// what malloc_usable_size says of it. Allocators round sizes up: glibc by up to 15 bytes, and to
// pages from 128 KiB on; jemalloc to one of four sizes for each power of two, 10 % on average. A
// filter can use that memory, or be smaller and take the next smaller size.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_ALLOCATION_FIT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_ALLOCATION_FIT_H_

#include <atomic>
#include <cstdint>

#include "src/filter/container/trailer.h"
#include "src/filter/layouts/layout.h"

namespace bloomline {

// RocksDB's block trailer, which is in the allocation, too.
constexpr uint64_t kBlockTrailerBytes = 5;

// What RocksDB's allocation for a filter of so many bytes can hold; 0 if that is unknown. The
// memory is allocated for that and freed untouched.
uint64_t UsableBytes(uint64_t filter_bytes);

// What the filters of a policy have taken in addition to their bits per key, in bytes. It decides
// whether the next one is larger or smaller than that, so it stays between 0 and the size of a
// filter: on average, filters take what was asked for. Filters of each power of two have their own:
// else a thousand small ones would make up for one large one, and lose a fifth of their bits.
class RoundingBalance {
 public:
  std::atomic<int64_t>& OfSize(uint64_t bytes) {
    int power = 0;
    while (bytes >>= 1) ++power;
    return of_power_[power];
  }

 private:
  std::atomic<int64_t> of_power_[64] = {};
};

// Shapes of the filter that is to be sized.
class ShapesBySize {
 public:
  // `end_bytes` follow the payload: the trailer and its extension.
  explicit ShapesBySize(uint64_t end_bytes = filter::kTrailerBytes) : end_bytes_(end_bytes) {}
  virtual ~ShapesBySize() = default;
  // The largest shape that takes at most so many bytes, end_bytes included. Without blocks if there
  // is none.
  virtual filter::FilterShape Within(uint64_t bytes) const = 0;

  uint64_t end_bytes() const { return end_bytes_; }
  uint64_t SizeOf(const filter::FilterShape& shape) const {
    return shape.payload_bytes() + end_bytes_;
  }

 private:
  const uint64_t end_bytes_;
};

// Returns the shape to use in place of one of `asked_bytes`, and adds to the balance by how much it
// exceeds `paid_bytes`, which the bits per key pay for and which are at most asked_bytes. Without
// blocks: use the one asked for, which may be since the allocator does not tell sizes, or has no
// memory. Throws nothing.
filter::FilterShape FitAllocation(const ShapesBySize& shapes, uint64_t asked_bytes,
                                  uint64_t paid_bytes, RoundingBalance* balances);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_ALLOCATION_FIT_H_
