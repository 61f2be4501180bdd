#include "src/core/hash_list.h"

#include <new>

namespace bloomline::core {

HashList::~HashList() {
  while (first_ != nullptr) {
    Chunk* chunk = first_;
    first_ = chunk->next;
    ::operator delete(chunk);
  }
}

bool HashList::Grow() {
  // 1 KiB first, so that a small filter stays small; 64 KiB at most, so that memory follows need.
  constexpr size_t kFirstCapacity = 126;
  constexpr size_t kMaxCapacity = 8190;
  const size_t capacity =
      last_ == nullptr ? kFirstCapacity
                       : (last_->capacity * 8 < kMaxCapacity ? last_->capacity * 8 : kMaxCapacity);
  void* memory = ::operator new(sizeof(Chunk) + capacity * sizeof(uint64_t), std::nothrow);
  if (memory == nullptr) return false;
  Chunk* chunk = new (memory) Chunk{nullptr, capacity};
  (last_ == nullptr ? first_ : last_->next) = chunk;
  last_ = chunk;
  next_ = chunk->hashes();
  end_ = next_ + capacity;
  return true;
}

void HashList::Clear() {
  if (first_ == nullptr) return;
  for (Chunk* chunk = first_->next; chunk != nullptr;) {
    Chunk* const next = chunk->next;
    ::operator delete(chunk);
    chunk = next;
  }
  first_->next = nullptr;
  last_ = first_;
  next_ = first_->hashes();
  end_ = next_ + first_->capacity;
  size_ = 0;
}

}  // namespace bloomline::core
