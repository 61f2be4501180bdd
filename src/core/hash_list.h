// An append-only list of 64-bit hashes in chunks that never move: no reallocation spike, no
// exception.
#ifndef BLOOMLINE_CORE_HASH_LIST_H_
#define BLOOMLINE_CORE_HASH_LIST_H_

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
    if (next_ == end_ && !Grow()) return false;
    *next_++ = hash;
    ++size_;
    return true;
  }

  size_t size() const { return size_; }
  // The last hash appended. Needs size() > 0.
  uint64_t back() const { return next_[-1]; }

  // Calls f(size_t n, const uint64_t* hashes) for each run of consecutive hashes, in order.
  template <typename F>
  void ForEachRun(F f) const {
    for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
      const uint64_t* const stop = chunk == last_ ? next_ : chunk->hashes() + chunk->capacity;
      if (stop != chunk->hashes()) f(static_cast<size_t>(stop - chunk->hashes()), chunk->hashes());
    }
  }

  // Forgets all hashes; keeps the first chunk, so a reused builder of small filters allocates once.
  void Clear();

 private:
  struct Chunk {
    Chunk* next;
    size_t capacity;
    uint64_t* hashes() { return reinterpret_cast<uint64_t*>(this + 1); }
    const uint64_t* hashes() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  };

  bool Grow();

  Chunk* first_ = nullptr;
  Chunk* last_ = nullptr;
  uint64_t* next_ = nullptr;
  uint64_t* end_ = nullptr;
  size_t size_ = 0;
};

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_HASH_LIST_H_
