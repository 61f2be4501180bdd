#include "src/build/hash_list.h"

#include <algorithm>
#include <new>

#include "src/memory/huge_pages.h"

namespace bloomline::core {

HashList::~HashList() { Free(first_); }

void HashList::Free(Node* node) {
  while (node != nullptr) {
    Node* const next = node->next;
    memory::FreePages(node, sizeof(Node) + node->capacity * sizeof(uint64_t));
    node = next;
  }
}

bool HashList::Grow() {
  if (first_ != nullptr && size() == 0) {  // cleared: its chunk is used again
    end_ = next_ + first_->capacity;
    return true;
  }
  // 1 KiB first, so that a small filter stays small; then 64 KiB, so that memory follows need; and
  // huge pages where a chunk of them is at most a fourth of the list.
  constexpr size_t kFirstBytes = 1024;
  constexpr size_t kMaxBytes = 64 << 10;
  size_t bytes = kFirstBytes;
  if (size() * sizeof(uint64_t) >= 4 * memory::kHugePageBytes) {
    bytes = memory::kHugePageBytes;
  } else if (last_ != nullptr) {
    bytes = std::min(kMaxBytes, 8 * (sizeof(Node) + last_->capacity * sizeof(uint64_t)));
  }
  void* chunk_memory = memory::AllocatePages(bytes);
  if (chunk_memory == nullptr) return false;
  const size_t capacity = (bytes - sizeof(Node)) / sizeof(uint64_t);
  Node* node = new (chunk_memory) Node{nullptr, capacity, 0};
  if (last_ == nullptr) {
    first_ = node;
  } else {
    last_->size = static_cast<size_t>(next_ - last_->hashes());
    last_->next = node;
  }
  last_ = node;
  next_ = node->hashes();
  end_ = next_ + capacity;
  return true;
}

void HashList::TakeAll(HashList* other) {
  if (other == this || other->size() == 0) return;
  if (size() == 0) {
    Free(first_);
    first_ = other->first_;
  } else {
    last_->size = static_cast<size_t>(next_ - last_->hashes());
    last_->next = other->first_;
  }
  last_ = other->last_;
  next_ = other->next_;
  end_ = other->end_;
  SetSize(size() + other->size());
  other->first_ = other->last_ = nullptr;
  other->next_ = other->end_ = nullptr;
  other->SetSize(0);
}

void HashList::Clear() {
  if (first_ == nullptr) return;
  Free(first_->next);
  first_->next = nullptr;
  last_ = first_;
  next_ = end_ = first_->hashes();
  SetSize(0);
}

}  // namespace bloomline::core
