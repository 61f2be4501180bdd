#include "src/core/hash_list.h"

#include <new>

namespace bloomline::core {

HashList::~HashList() { Free(first_); }

void HashList::Free(Chunk* chunk) {
  while (chunk != nullptr) {
    Chunk* const next = chunk->next;
    ::operator delete(chunk);
    chunk = next;
  }
}

bool HashList::Grow() {
  // 1 KiB first, so that a small filter stays small; 64 KiB at most, so that memory follows need.
  constexpr size_t kFirstCapacity = 125;
  constexpr size_t kMaxCapacity = 8189;
  size_t capacity = kFirstCapacity;
  if (last_ != nullptr) {
    capacity = last_->capacity * 8 < kMaxCapacity ? last_->capacity * 8 : kMaxCapacity;
  }
  void* memory = ::operator new(sizeof(Chunk) + capacity * sizeof(uint64_t), std::nothrow);
  if (memory == nullptr) return false;
  Chunk* chunk = new (memory) Chunk{nullptr, capacity, 0};
  if (last_ == nullptr) {
    first_ = chunk;
  } else {
    last_->size = static_cast<size_t>(next_ - last_->hashes());
    last_->next = chunk;
  }
  last_ = chunk;
  next_ = chunk->hashes();
  end_ = next_ + capacity;
  return true;
}

void HashList::TakeAll(HashList* other) {
  if (other == this || other->size_ == 0) return;
  if (size_ == 0) {
    Free(first_);
    first_ = other->first_;
  } else {
    last_->size = static_cast<size_t>(next_ - last_->hashes());
    last_->next = other->first_;
  }
  last_ = other->last_;
  next_ = other->next_;
  end_ = other->end_;
  size_ += other->size_;
  other->first_ = other->last_ = nullptr;
  other->next_ = other->end_ = nullptr;
  other->size_ = 0;
}

void HashList::Clear() {
  if (first_ == nullptr) return;
  Free(first_->next);
  first_->next = nullptr;
  last_ = first_;
  next_ = first_->hashes();
  end_ = next_ + first_->capacity;
  size_ = 0;
}

}  // namespace bloomline::core
