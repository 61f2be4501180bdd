#include "src/filter/hash/hash_list.h"

#include <algorithm>
#include <new>

#include "src/support/memory.h"

namespace bloomline::filter {
namespace {

// Sizes of chunks: 1 KiB first, so that a small filter stays small; then up to 64 KiB, so that
// memory follows need; then huge pages, which cost a fraction of the page faults. From 512 KiB on,
// 1e5 keys would take a third longer where malloc keeps freed memory.
constexpr size_t kFirstBytes = 1024;
constexpr size_t kMaxHeapBytes = 64 << 10;
constexpr size_t kHugePagesFromBytes = 1 << 20;

size_t ChunkBytes(size_t list_bytes) {
  if (list_bytes >= kHugePagesFromBytes) return support::kHugePageBytes;
  return std::clamp(8 * list_bytes, kFirstBytes, kMaxHeapBytes);
}

}  // namespace

HashList::~HashList() { Free(first_); }

void HashList::Free(HashNode* node) {
  while (node != nullptr) {
    HashNode* const next = node->next;
    support::FreePages(node, NumBytes(node));
    node = next;
  }
}

void HashList::Grow() {
  // A cleared list uses its chunk again.
  if (last_ == nullptr || next_ == last_->hashes() + last_->capacity) AddChunk();
  end_ = last_->hashes() + last_->capacity;
}

void HashList::AddChunk() {
  size_t bytes = ChunkBytes(size() * sizeof(uint64_t));
  void* memory = support::AllocatePages(bytes);
  // Near a limit of its address space, a process may have room in its heap, but none to map.
  if (memory == nullptr && bytes > kMaxHeapBytes) {
    bytes = kMaxHeapBytes;
    memory = support::AllocatePages(bytes);
  }
  if (memory == nullptr) throw std::bad_alloc();
  HashNode* const node =
      new (memory) HashNode{nullptr, (bytes - sizeof(HashNode)) / sizeof(uint64_t), 0};
  if (last_ == nullptr) {
    first_ = node;
  } else {
    last_->size = static_cast<size_t>(next_ - last_->hashes());
    last_->next = node;
  }
  last_ = node;
  next_ = node->hashes();
  num_bytes_ += NumBytes(node);
}

void HashList::TakeAll(HashList* other) {
  if (other == this || other->size() == 0) return;
  if (size() == 0) {
    Free(first_);
    num_bytes_ = 0;
    first_ = other->first_;
  } else {
    last_->size = static_cast<size_t>(next_ - last_->hashes());
    last_->next = other->first_;
  }
  last_ = other->last_;
  next_ = other->next_;
  end_ = other->end_;
  num_bytes_ += other->num_bytes_;
  SetSize(size() + other->size());
  other->first_ = other->last_ = nullptr;
  other->next_ = other->end_ = nullptr;
  other->num_bytes_ = 0;
  other->SetSize(0);
}

void HashList::Clear() {
  if (first_ == nullptr) return;
  Free(first_->next);
  first_->next = nullptr;
  num_bytes_ = NumBytes(first_);
  last_ = first_;
  next_ = end_ = first_->hashes();
  SetSize(0);
}

}  // namespace bloomline::filter
