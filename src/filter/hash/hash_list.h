// The hashes of the keys added so far: an append-only list in chunks that never move, so memory
// never peaks while it is copied.
#ifndef BLOOMLINE_FILTER_HASH_HASH_LIST_H_
#define BLOOMLINE_FILTER_HASH_HASH_LIST_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bloomline::filter {

class HashList {
 public:
  HashList() = default;
  ~HashList();
  HashList(const HashList&) = delete;
  HashList& operator=(const HashList&) = delete;

  // Throws bad_alloc before it has changed anything.
  void Append(uint64_t hash) {
    if (next_ == end_) Grow();
    Push(hash);
  }

  // Appends a hash unless it is the last one already. Does nothing and returns false in an empty
  // list or if more memory is needed. The fast path of AddKey.
  bool AppendIfNewAndEasy(uint64_t hash) {
    if (next_ == end_) return false;
    if (back() != hash) Push(hash);
    return true;
  }

  // Other threads may call this while hashes are appended.
  size_t size() const { return size_.load(std::memory_order_relaxed); }
  // The first hash of the list. Needs size() > 0.
  uint64_t front() const { return first_->hashes()[0]; }
  // The last hash appended, or the last of the list taken last. Needs size() > 0.
  uint64_t back() const { return next_[-1]; }

  // The memory of all chunks.
  size_t num_bytes() const { return num_bytes_; }
  // The memory that the list has left after its last hash, until it changes.
  uint64_t* spare() { return next_; }
  size_t spare_hashes() const { return static_cast<size_t>(end_ - next_); }

  // Appends all hashes of `other`, which is then empty. Cost: constant.
  void TakeAll(HashList* other);

  // Forgets all hashes; keeps the first chunk, so a reused builder of small filters allocates once.
  void Clear();

  // Calls f(hash) for all.
  template <typename F>
  void ForEach(F f) const {
    ForEachChunk([&](const uint64_t* hashes, size_t n) {
      for (size_t i = 0; i < n; ++i) f(hashes[i]);
    });
  }

  // Calls f(hashes, how many) for all chunks. f may write to the hashes of its chunk and of earlier
  // ones.
  template <typename F>
  void ForEachChunk(F f) {
    if (size() == 0) return;
    for (HashNode* node = first_; node != nullptr; node = node->next) {
      f(node->hashes(), ChunkSize(node));
    }
  }
  template <typename F>
  void ForEachChunk(F f) const {
    if (size() == 0) return;
    for (const HashNode* node = first_; node != nullptr; node = node->next) {
      f(node->hashes(), ChunkSize(node));
    }
  }

 private:
  // A chunk's header; its hashes follow it. It is a whole number of words, so that a chunk has no
  // bytes left over, even on i386, where the alignment of a uint64_t is 4.
  struct alignas(sizeof(uint64_t)) HashNode {
    HashNode* next;
    size_t capacity;
    size_t size;  // set when the list continues in another chunk
    uint64_t* hashes() { return reinterpret_cast<uint64_t*>(this + 1); }
    const uint64_t* hashes() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  };

  void Push(uint64_t hash) {
    *next_++ = hash;
    SetSize(size() + 1);
  }
  void SetSize(size_t size) { size_.store(size, std::memory_order_relaxed); }
  void Grow();
  void AddChunk();
  size_t ChunkSize(const HashNode* node) const {
    return node == last_ ? static_cast<size_t>(next_ - node->hashes()) : node->size;
  }
  static size_t NumBytes(const HashNode* node) {
    return sizeof(HashNode) + node->capacity * sizeof(uint64_t);
  }
  static void Free(HashNode* node);

  // A chunk is begun only when a hash goes into it, so only a cleared list's single chunk is empty.
  // There next_ == end_, as in a list without chunks: before any other slot there is a hash.
  HashNode* first_ = nullptr;
  HashNode* last_ = nullptr;
  uint64_t* next_ = nullptr;
  uint64_t* end_ = nullptr;  // of the last chunk
  std::atomic<size_t> size_{0};
  size_t num_bytes_ = 0;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_HASH_HASH_LIST_H_
