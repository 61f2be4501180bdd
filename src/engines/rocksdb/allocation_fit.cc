#include "src/engines/rocksdb/allocation_fit.h"

#include <algorithm>
#include <new>

#include "src/support/memory_calls.h"

namespace bloomline {

uint64_t UsableBytes(uint64_t filter_bytes) {
  const uint64_t bytes = filter_bytes + kBlockTrailerBytes;
  char* const memory = new (std::nothrow) char[bytes];
  if (memory == nullptr) return 0;
  const uint64_t usable = support::UsableBytesOf(memory);
  delete[] memory;
  return usable < bytes ? 0 : usable - kBlockTrailerBytes;
}

namespace {

// A filter that is larger by more than a third would gain little for the disk space; as in RocksDB.
constexpr double kMostGrowth = 4.0 / 3;
// Where the next smaller sizes are looked for: all sizes of jemalloc and glibc are within a fifth.
constexpr uint64_t kSixteenths[] = {15, 14, 13, 12};

filter::FilterShape Filling(const ShapesBySize& shapes, const filter::FilterShape& shape) {
  return shape.num_blocks == 0 ? shape : shapes.Within(UsableBytes(shapes.SizeOf(shape)));
}

// The largest one below paid_bytes that fills its allocation; without blocks if there is none.
filter::FilterShape Smaller(const ShapesBySize& shapes, uint64_t asked_bytes, uint64_t paid_bytes) {
  const auto fits = [&](const filter::FilterShape& shape) {
    return shape.num_blocks != 0 && shapes.SizeOf(shape) < paid_bytes;
  };
  filter::FilterShape shape = Filling(shapes, shapes.Within(asked_bytes - 1));
  if (fits(shape)) return shape;
  for (const uint64_t sixteenths : kSixteenths) {
    shape = Filling(shapes, shapes.Within(asked_bytes / 16 * sixteenths));
    if (fits(shape)) return shape;
  }
  return {};
}

}  // namespace

filter::FilterShape FitAllocation(const ShapesBySize& shapes, uint64_t asked_bytes,
                                  uint64_t paid_bytes, RoundingBalance* balances) {
  const uint64_t usable = UsableBytes(asked_bytes);
  if (usable == 0) return {};
  const auto most = static_cast<uint64_t>(static_cast<double>(asked_bytes) * kMostGrowth);
  filter::FilterShape shape = shapes.Within(usable <= most ? usable : asked_bytes);
  uint64_t size = shapes.SizeOf(shape);
  if (shape.num_blocks == 0 || size < asked_bytes) {  // the one asked for has other blocks
    shape = {};
    size = asked_bytes;
  }
  std::atomic<int64_t>& balance = balances->OfSize(paid_bytes);
  const int64_t before = balance.load(std::memory_order_relaxed);
  // Some of several threads may see an old balance. That evens out with later filters.
  const auto surplus = [=](uint64_t bytes) {
    const auto paid = static_cast<int64_t>(paid_bytes);
    // Not all of what very small filters take: large ones would have to make up for it.
    return std::min(static_cast<int64_t>(bytes) - paid, paid / 3);
  };
  if (before > 0) {
    const filter::FilterShape smaller = Smaller(shapes, asked_bytes, paid_bytes);
    if (smaller.num_blocks != 0 && before + surplus(shapes.SizeOf(smaller)) >= 0) {
      shape = smaller;
      size = shapes.SizeOf(smaller);
    }
  }
  balance.fetch_add(surplus(size), std::memory_order_relaxed);
  return shape;
}

}  // namespace bloomline
