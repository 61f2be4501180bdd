// Sorts the hashes of a list by groups of blocks, in the memory of the list.
//
// The list is read from its beginning. Each piece that has been read becomes a unit, and units take
// the hashes of the groups. So the only additional memory is for the units that are not full yet,
// one for each group, and for the ends of chunks that do not fill a piece.
#ifndef BLOOMLINE_FILTER_WRITER_HASH_GROUPS_H_
#define BLOOMLINE_FILTER_WRITER_HASH_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "src/filter/hash/block_run.h"
#include "src/filter/writer/hash_list.h"
#include "src/support/memory.h"

namespace bloomline::filter {

// An array of hashes that are not initialised: temporary memory, in huge pages where it is large.
class HashBuffer {
 public:
  HashBuffer() = default;
  ~HashBuffer() { Free(); }
  HashBuffer(const HashBuffer&) = delete;
  HashBuffer& operator=(const HashBuffer&) = delete;

  uint64_t* data() { return hashes_; }
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

// Take ForEachRun*.
class HashGroups {
 public:
  // Groups of 2^group_shift blocks of a filter of num_blocks > 0 blocks.
  HashGroups(uint64_t num_blocks, int group_shift);
  HashGroups(const HashGroups&) = delete;
  HashGroups& operator=(const HashGroups&) = delete;

  size_t num_groups() const { return num_groups_; }
  BlockRun GroupBlocks(size_t group) const;

  // Moves all hashes of the list, at least one, to the groups. The list still owns their memory: it
  // must outlive them, and only Clear, TakeAll and its destructor may be called then. Returns
  // false, and leaves the list alone, if this would need more than an eighth of the list's memory
  // in addition.
  bool Take(HashList* list);

  // The memory that Take needs in addition; SIZE_MAX if it refuses.
  size_t ExtraBytes(const HashList& list) const;

  // Calls f(const uint64_t* hashes, size_t n) for all hashes of a group, in the order of the list.
  template <typename F>
  void ForEachRun(size_t group, F f) const {
    const Group& of = groups_[group];
    if (of.first == nullptr) return;
    for (const Unit* unit = of.first; unit != of.last; unit = unit->next) {
      f(unit->hashes(), unit_hashes_);
    }
    f(of.last->hashes(), static_cast<size_t>(of.next - of.last->hashes()));
  }
  size_t GroupSize(size_t group) const {
    size_t size = 0;
    ForEachRun(group, [&](const uint64_t*, size_t n) { size += n; });
    return size;
  }

 private:
  // A unit's header of one word; its hashes lie behind it.
  struct alignas(sizeof(uint64_t)) Unit {
    Unit* next;  // of the group, or free
    uint64_t* hashes() { return reinterpret_cast<uint64_t*>(this + 1); }
    const uint64_t* hashes() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  };
  struct Group {
    uint64_t* next = nullptr;
    uint64_t* end = nullptr;
    Unit* first = nullptr;
    Unit* last = nullptr;
  };

  void Move(const uint64_t* hashes, size_t n);
  void AddFree(uint64_t* memory);

  uint64_t num_blocks_;
  int group_shift_;
  size_t num_groups_;
  size_t unit_hashes_ = 0;
  std::vector<Group> groups_;
  HashBuffer extra_;
  Unit* free_ = nullptr;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_HASH_GROUPS_H_
