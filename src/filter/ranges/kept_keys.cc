#include "src/filter/ranges/kept_keys.h"

#include <new>

#include "src/support/memory.h"

namespace bloomline::filter {
namespace {

// Sizes of chunks: little for few keys, and huge pages for many, as in hash_list.cc.
constexpr size_t kFirstBytes = 4 << 10;
constexpr size_t kMaxHeapBytes = 64 << 10;
constexpr size_t kHugePagesFromBytes = 1 << 20;
static_assert(kFirstBytes > 2 * kMaxPrefixBytes, "a chunk has room for a record");

size_t ChunkBytes(size_t bytes_before) {
  if (bytes_before >= kHugePagesFromBytes) return support::kHugePageBytes;
  return std::clamp(bytes_before, kFirstBytes, kMaxHeapBytes);
}

}  // namespace

KeptKeys::Chunk::Chunk(size_t bytes) : capacity(bytes), memory(support::AllocatePages(bytes)) {
  if (memory == nullptr) throw std::bad_alloc();
}

KeptKeys::Chunk::~Chunk() { support::FreePages(memory, capacity); }

void KeptKeys::AddChunk() {
  chunks_.emplace_back(ChunkBytes(num_bytes_));
  num_bytes_ += chunks_.back().capacity;
}

void KeptKeys::FreeFirst() {
  num_bytes_ -= chunks_.front().capacity;
  chunks_.pop_front();
}

void KeptKeys::Clear() {
  chunks_.clear();
  num_bytes_ = 0;
  size_ = 0;
  num_known_bytes_ = 0;
  last_num_bytes_ = 0;
  forget_from_bytes_ = kLittle;
}

void KeptKeys::Forget(const RangeCounts& counts) {
  const size_t num_known_bytes = num_known_bytes_;
  KeptKeys kept;
  TakeAll([&](const KeyDifference& key, size_t first_byte) {
    // Keys before may have been left out here.
    kept.num_known_bytes_ = std::min(kept.num_known_bytes_, first_byte);
    kept.Add(key, counts.NeededBytes(key));
  });
  chunks_.swap(kept.chunks_);
  num_bytes_ = kept.num_bytes_;
  size_ = kept.size_;
  num_known_bytes_ = std::min(num_known_bytes, kept.num_known_bytes_);
  last_num_bytes_ = kept.last_num_bytes_;
  forget_from_bytes_ = std::max(kLittle, 2 * size_);
}

}  // namespace bloomline::filter
