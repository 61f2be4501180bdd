// Temporary memory for hashes: written once, soon given back, in huge pages where it is large.
#ifndef BLOOMLINE_FILTER_WRITER_HASH_BUFFER_H_
#define BLOOMLINE_FILTER_WRITER_HASH_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "src/support/memory_calls.h"

namespace bloomline::filter {

// An array of hashes that are not initialised.
class HashBuffer {
 public:
  HashBuffer() = default;
  explicit HashBuffer(size_t capacity) { Reserve(capacity); }
  ~HashBuffer() { Free(); }
  HashBuffer(const HashBuffer&) = delete;
  HashBuffer& operator=(const HashBuffer&) = delete;

  uint64_t* data() { return hashes_; }
  const uint64_t* data() const { return hashes_; }

  size_t capacity() const { return capacity_; }

  // Holds `capacity` hashes or more, and none of the old ones.
  void Reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    Free();  // first, so that both need not fit
    void* const memory = support::AllocatePages(capacity * sizeof(uint64_t));
    if (memory == nullptr) throw std::bad_alloc();
    hashes_ = static_cast<uint64_t*>(memory);
    capacity_ = capacity;
  }

 private:
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
