#include "src/filter/writer/hash_list.h"

#include <algorithm>
#include <new>

#include "src/support/block_reserve.h"
#include "src/support/huge_pages.h"

namespace bloomline::filter {
namespace {

// Sizes of chunks.
//
// 1 KiB first, so that a small filter stays small; then up to 64 KiB, so that memory follows need;
// then whole blocks, which the next filter can take again (block_reserve.h).
constexpr size_t kFirstBytes = 1024;
constexpr size_t kMaxHeapBytes = 64 << 10;
// A block that is there already costs nothing from here on.
constexpr size_t kReservedFromBytes = 64 << 10;
// A new block is mapped from here on. Its pages become resident one by one, ...
constexpr size_t kBlocksFromBytes = 1 << 20;
// ... and at once where a block is at most a fourth of the list.
constexpr size_t kHugePagesFromBytes = 4 * support::kBlockBytes;

struct Chunk {
  void* memory;
  size_t bytes;
};

// `list_bytes` and `last_bytes`: of all hashes, and of the last chunk.
Chunk AllocateChunk(size_t list_bytes, size_t last_bytes) {
  if (list_bytes >= kBlocksFromBytes) {
    return {support::AllocateBlock(list_bytes >= kHugePagesFromBytes), support::kBlockBytes};
  }
  if (list_bytes >= kReservedFromBytes) {
    if (void* const block = support::TakeReservedBlock()) return {block, support::kBlockBytes};
  }
  const size_t bytes = last_bytes == 0 ? kFirstBytes : std::min(kMaxHeapBytes, 8 * last_bytes);
  return {support::AllocatePages(bytes), bytes};
}

}  // namespace

HashList::~HashList() { Free(first_); }

void HashList::Free(Node* node) {
  while (node != nullptr) {
    Node* const next = node->next;
    const size_t bytes = sizeof(Node) + node->capacity * sizeof(uint64_t);
    if (bytes == support::kBlockBytes) {
      support::FreeBlock(node);
    } else {
      support::FreePages(node, bytes);
    }
    node = next;
  }
  support::ReleaseIdle();
}

bool HashList::Grow() {
  // A cleared list uses its chunk again; a chunk with an observer may have room after its end.
  const bool has_room = last_ != nullptr && next_ != last_->hashes() + last_->capacity;
  if (!has_room && !AddChunk()) return false;
  SetEnd();
  return true;
}

void HashList::SetEnd() {
  end_ = last_->hashes() + last_->capacity;
  if (observer_ == nullptr) return;
  const size_t num_hashes = size();
  const size_t until_next_call = observer_->ListHas(num_hashes) - num_hashes;
  end_ = next_ + std::min(until_next_call, static_cast<size_t>(end_ - next_));
}

bool HashList::AddChunk() {
  const size_t last_bytes =
      last_ == nullptr ? 0 : sizeof(Node) + last_->capacity * sizeof(uint64_t);
  const auto [chunk_memory, bytes] = AllocateChunk(size() * sizeof(uint64_t), last_bytes);
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

}  // namespace bloomline::filter
