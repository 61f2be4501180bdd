// An append-only list of 64-bit hashes in chunks that never move: no reallocation spike, no
// exception.
#ifndef BLOOMLINE_BUILD_HASH_LIST_H_
#define BLOOMLINE_BUILD_HASH_LIST_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bloomline::core {

class HashList {
 public:
  HashList() = default;
  ~HashList();
  HashList(const HashList&) = delete;
  HashList& operator=(const HashList&) = delete;

  // False, and nothing added, when out of memory.
  bool Append(uint64_t hash) {
    if (next_ == end_) return AppendToNewChunk(hash);
    Push(hash);
    return true;
  }

  // Appends a hash that is not the last one already. False, and nothing done, in an empty list or
  // where more memory is needed.
  bool AppendIfNewAndEasy(uint64_t hash) {
    if (next_ == end_) return false;
    if (back() != hash) Push(hash);
    return true;
  }

  // Other threads may ask while hashes are appended.
  size_t size() const { return size_.load(std::memory_order_relaxed); }
  // The last hash appended, or the last of the list taken last. Needs size() > 0.
  uint64_t back() const { return next_[-1]; }

  // Moves all hashes of `other` behind these; other is then empty. Cost: constant.
  void TakeAll(HashList* other);

  // Forgets all hashes; keeps the first chunk, so a reused builder of small filters allocates once.
  void Clear();

  // f(hash) for all.
  template <typename F>
  void ForEach(F f) const {
    if (size() == 0) return;
    for (Run run = FirstRun();; run = RunAfter(run)) {
      for (size_t i = 0; i < run.size; ++i) f(run.hashes[i]);
      if (run.next == nullptr) return;
    }
  }

  // A stretch of consecutive hashes and where the next one is.
  struct Run {
    const uint64_t* hashes = nullptr;
    size_t size = 0;
    const void* next = nullptr;  // null: this is the last
  };
  // Needs size() > 0. Runs are never empty.
  Run FirstRun() const { return RunOf(first_); }
  Run RunAfter(const Run& run) const { return RunOf(static_cast<const Chunk*>(run.next)); }

 private:
  struct Chunk {
    Chunk* next;
    size_t capacity;
    size_t size;  // set when the list goes on to another chunk
    uint64_t* hashes() { return reinterpret_cast<uint64_t*>(this + 1); }
    const uint64_t* hashes() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  };

  void Push(uint64_t hash) {
    *next_++ = hash;
    SetSize(size() + 1);
  }
  void SetSize(size_t size) { size_.store(size, std::memory_order_relaxed); }
  bool AppendToNewChunk(uint64_t hash);
  bool Grow();
  Run RunOf(const Chunk* chunk) const {
    const size_t size = chunk == last_ ? static_cast<size_t>(next_ - chunk->hashes()) : chunk->size;
    return {chunk->hashes(), size, chunk->next};
  }
  static void Free(Chunk* chunk);

  // A chunk is begun only when a hash goes into it, so none but a cleared list's only one is empty.
  // There next_ == end_, as in a list without chunks: before any other slot there is a hash.
  Chunk* first_ = nullptr;
  Chunk* last_ = nullptr;
  uint64_t* next_ = nullptr;
  uint64_t* end_ = nullptr;
  std::atomic<size_t> size_{0};
};

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_HASH_LIST_H_
