#include "src/engines/rocksdb/builder/table_plan.h"

#include <algorithm>
#include <cstdint>

#include "src/filter/container/trailer.h"
#include "src/filter/table/layout_table.h"
#include "src/support/bisection.h"
#include "src/support/memory.h"

namespace bloomline::engine {
namespace {

// RocksDB truncates the length of a filter to 32 bits.
constexpr uint64_t kMaxFilterBytes = 0xffffffc0;

// The bytes behind the payload.
constexpr uint64_t kEndBytes = filter::kTrailerBytes;

// Returns what RocksDB's allocation for a filter of filter_bytes bytes can hold; 0 if that is
// unknown.
//
// RocksDB reads a filter into a separate allocation in the block cache, and charges the cache the
// size that malloc_usable_size returns. Allocators round sizes up: glibc by up to 15 bytes, and to
// pages from 128 KiB on; jemalloc to one of four sizes for each power of two, 10 % on average. This
// is what malloc gives: if the program's operator new takes its memory elsewhere, the filter is at
// most a third larger than without the option (FittedShape).
uint64_t FilterBytesInAllocation(uint64_t filter_bytes) {
  const uint64_t bytes = filter_bytes + kBlockTrailerBytes;
  if (bytes > SIZE_MAX) return 0;  // on a 32-bit CPU
  const uint64_t usable = support::HeapBytes(static_cast<size_t>(bytes));
  return usable < bytes ? 0 : usable - kBlockTrailerBytes;
}

}  // namespace

double TablePlan::BitsPerKey(uint64_t num_keys) const {
  const double asked = sizes_.bits_per_key;
  const uint64_t limit = sizes_.max_filter_bytes;
  if (limit == 0 || num_keys == 0) return asked;
  // Whole blocks may add one.
  const auto key_bytes = static_cast<double>(limit - std::min(kernels::kBlockBytes, limit));
  return std::min(asked, std::max(8 * key_bytes / static_cast<double>(num_keys), kMinBits));
}

filter::FilterShape TablePlan::ShapeWith(uint64_t num_keys, double bits_per_key,
                                         uint64_t max_payload_bytes) const {
  return filter::SSTableShape(row_, {num_keys, bits_per_key, kEndBytes, max_payload_bytes});
}

filter::FilterShape TablePlan::Shape(uint64_t num_keys) const {
  return ShapeWith(num_keys, BitsPerKey(num_keys), kMaxFilterBytes - kEndBytes);
}

filter::FilterShape TablePlan::FittedShape(uint64_t num_keys) const {
  const filter::FilterShape asked = Shape(num_keys);
  if (!sizes_.fills_allocations || num_keys == 0 || asked.num_blocks == 0 ||
      sizes_.max_filter_bytes != 0) {
    return asked;
  }
  const uint64_t asked_bytes = asked.payload_bytes() + kEndBytes;
  const uint64_t usable = std::min(FilterBytesInAllocation(asked_bytes), kMaxFilterBytes);
  // More than a third more memory would gain little for the disk space; RocksDB has the same limit.
  if (usable <= asked_bytes || usable > asked_bytes / 3 * 4) return asked;
  const uint64_t max_payload = usable - kEndBytes;
  const double bits = std::min(8 * static_cast<double>(max_payload) / static_cast<double>(num_keys),
                               AllowedBitsPerKey(sizes_.format).max);
  const filter::FilterShape shape = ShapeWith(num_keys, bits, max_payload);
  const uint64_t payload_bytes = shape.payload_bytes();
  return payload_bytes > asked.payload_bytes() && payload_bytes <= max_payload ? shape : asked;
}

uint64_t TablePlan::KeyBytes(uint64_t num_keys) const {
  return Shape(num_keys).payload_bytes() + kEndBytes;
}

uint64_t TablePlan::MostKeys(uint64_t bytes) const {
  const auto filter_bytes = [&](uint64_t num_keys) {
    return ShapeWith(num_keys, sizes_.bits_per_key, UINT64_MAX).payload_bytes() + kEndBytes;
  };
  const uint64_t most_bytes = std::max(bytes, filter_bytes(1));
  const auto fits = [&](uint64_t num_keys) { return filter_bytes(num_keys) <= most_bytes; };
  return support::Bisect(uint64_t{1}, uint64_t{1} << 63, fits).holds;
}

double TablePlan::FalsePositiveRate(uint64_t num_keys, uint64_t bytes) const {
  if (num_keys == 0) return 0;
  if (bytes <= kEndBytes) return 1;
  filter::FilterShape shape = Shape(num_keys);
  shape.num_blocks = std::max<uint64_t>(1, (bytes - kEndBytes) / shape.block_bytes);
  return filter::ExactShapeRate(shape, num_keys);
}

}  // namespace bloomline::engine
