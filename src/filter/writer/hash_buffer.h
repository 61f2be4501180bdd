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
  explicit HashBuffer(size_t capacity) { Reserve(capacity); }
  ~HashBuffer() { Free(); }
  HashBuffer(const HashBuffer&) = delete;
  HashBuffer& operator=(const HashBuffer&) = delete;

  uint64_t* data() { return hashes_; }
  const uint64_t* data() const { return hashes_; }

  size_t capacity() const { return capacity_; }

  // Holds `capacity` hashes or more. Keeps the first `kept`; without any, the old memory goes back
  // before there is new memory. Throws bad_alloc.
  void Reserve(size_t capacity, size_t kept = 0) {
    if (capacity <= capacity_) return;
    if (kept == 0) Free();
    void* const memory = support::AllocatePages(capacity * sizeof(uint64_t));
    if (memory == nullptr) throw std::bad_alloc();
    if (kept != 0) std::memcpy(memory, hashes_, kept * sizeof(uint64_t));
    Free();
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
