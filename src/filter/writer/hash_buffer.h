// Temporary memory for hashes: written once, soon given back, in huge pages where it is large.
#ifndef BLOOMLINE_FILTER_WRITER_HASH_BUFFER_H_
#define BLOOMLINE_FILTER_WRITER_HASH_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "src/support/huge_pages.h"

namespace bloomline::filter {

// An array of hashes that are not initialised.
class HashBuffer {
 public:
  HashBuffer() = default;
  // Throws bad_alloc.
  explicit HashBuffer(size_t capacity) { Reset(capacity); }
  ~HashBuffer() { Free(); }
  HashBuffer(const HashBuffer&) = delete;
  HashBuffer& operator=(const HashBuffer&) = delete;

  uint64_t* data() { return hashes_; }
  const uint64_t* data() const { return hashes_; }

  size_t capacity() const { return capacity_; }

  // Holds `capacity` hashes or more; the old ones are lost. Throws bad_alloc.
  void Reset(size_t capacity) {
    if (capacity <= capacity_) return;
    Free();
    hashes_ = Allocate(capacity);
    capacity_ = capacity;
  }

  // The same, but the first `size` hashes are kept.
  void Grow(size_t capacity, size_t size) {
    if (capacity <= capacity_) return;
    uint64_t* const hashes = Allocate(capacity);
    if (size != 0) std::memcpy(hashes, hashes_, size * sizeof(uint64_t));
    Free();
    hashes_ = hashes;
    capacity_ = capacity;
  }

 private:
  static uint64_t* Allocate(size_t capacity) {
    void* const memory = support::AllocatePages(capacity * sizeof(uint64_t));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<uint64_t*>(memory);
  }
  void Free() {
    support::FreePages(hashes_, capacity_ * sizeof(uint64_t));
    hashes_ = nullptr;
    capacity_ = 0;
  }

  uint64_t* hashes_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_HASH_BUFFER_H_
