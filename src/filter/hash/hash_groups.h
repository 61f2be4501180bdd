// Sorts the hashes of a list by groups, in the memory of the list: groups of a filter's blocks, or
// of a Ribbon filter's starts.
//
// The list is read from its beginning. Each piece that has been read becomes a unit, and units take
// the hashes of the groups. So the only additional memory is for the units that are not full yet,
// one for each group, and for the ends of chunks that do not fill a piece. The list's spare memory
// is used first.
#ifndef BLOOMLINE_FILTER_HASH_HASH_GROUPS_H_
#define BLOOMLINE_FILTER_HASH_HASH_GROUPS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/hash/hash_list.h"
#include "src/support/memory.h"

namespace bloomline::filter {

// An array of hashes that are not initialised: temporary memory, in huge pages if it is large.
class HashBuffer {
 public:
  HashBuffer() = default;
  ~HashBuffer() { Free(); }
  HashBuffer(const HashBuffer&) = delete;
  HashBuffer& operator=(const HashBuffer&) = delete;

  uint64_t* data() const { return hashes_; }
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

// Groups of 2^group_shift blocks of a filter of num_blocks > 0 blocks.
struct BlockGroups {
  uint64_t num_blocks;
  int group_shift;

  size_t size() const { return static_cast<size_t>((num_blocks - 1) >> group_shift) + 1; }
  size_t operator()(uint64_t hash) const {
    return static_cast<size_t>(kernels::BlockIndex(hash, num_blocks) >> group_shift);
  }
};

// Take Regroup* ForEachRun*. group_of(hash) is the group of a hash, below num_groups.
class HashGroups {
 public:
  explicit HashGroups(size_t num_groups) : num_groups_(num_groups) {}
  HashGroups(const HashGroups&) = delete;
  HashGroups& operator=(const HashGroups&) = delete;

  size_t num_groups() const { return num_groups_; }

  // Moves all hashes of the list, at least one, to the groups. The list still owns their memory: it
  // must outlive them, and only Clear, TakeAll and its destructor may be called then. Returns
  // false, and leaves the list alone, if this would need more than an eighth of the list's memory
  // in addition.
  template <typename GroupOf>
  bool Take(HashList* list, GroupOf group_of) {
    const size_t extra_bytes = ExtraBytes(*list);
    if (extra_bytes > list->size() * sizeof(uint64_t) / 8) return false;
    TakeInUnits(list, UnitWords(list->size()), group_of);
    return true;
  }

  // Take with units of this many words, whatever memory that needs.
  template <typename GroupOf>
  void TakeInUnits(HashList* list, size_t unit_words, GroupOf group_of) {
    unit_hashes_ = unit_words - 1;
    groups_.assign(num_groups_, HashGroup());
    const size_t num_units = ExtraUnits(*list, unit_words);
    const size_t in_spare = std::min(num_units, list->spare_hashes() / unit_words);
    for (size_t i = 0; i < in_spare; ++i) AddFree(list->spare() + i * unit_words);
    AddUnits(&extra_, num_units - in_spare);
    list->ForEachChunk([&](uint64_t* hashes, size_t n) {
      for (; n >= unit_words; n -= unit_words, hashes += unit_words) {
        Move(hashes, unit_words, group_of);
        AddFree(hashes);
      }
      Move(hashes, n, group_of);
    });
  }

  // Moves all hashes to other groups. The first call needs a unit for each group in addition, as
  // old groups and new ones have units that are not full.
  template <typename GroupOf>
  void Regroup(GroupOf group_of) {
    if (regroup_extra_.capacity() == 0) AddUnits(&regroup_extra_, num_groups_);
    const std::vector<HashGroup> old = groups_;
    groups_.assign(num_groups_, HashGroup());
    for (const HashGroup& of : old) {
      for (HashUnit* unit = of.first; unit != nullptr;) {
        HashUnit* const next = unit == of.last ? nullptr : unit->next;
        Move(unit->hashes(), SizeOf(of, unit), group_of);
        AddFree(reinterpret_cast<uint64_t*>(unit));
        unit = next;
      }
    }
  }

  // The memory that Take needs in addition.
  size_t ExtraBytes(const HashList& list) const {
    const size_t words = UnitWords(list.size());
    return ExtraUnits(list, words) * words * sizeof(uint64_t);
  }

  // Calls f(uint64_t* hashes, size_t n) for all hashes of a group, in the order of the list. f may
  // write them.
  template <typename F>
  void ForEachRun(size_t group, F f) const {
    const HashGroup& of = groups_[group];
    if (of.first == nullptr) return;
    for (HashUnit* unit = of.first; unit != of.last; unit = unit->next) {
      f(unit->hashes(), unit_hashes_);
    }
    f(of.last->hashes(), SizeOf(of, of.last));
  }
  size_t GroupSize(size_t group) const {
    size_t size = 0;
    ForEachRun(group, [&](const uint64_t*, size_t n) { size += n; });
    return size;
  }

 private:
  // A unit's header of one word; its hashes follow it.
  struct alignas(sizeof(uint64_t)) HashUnit {
    HashUnit* next;  // of the group, or free
    uint64_t* hashes() { return reinterpret_cast<uint64_t*>(this + 1); }
  };
  struct HashGroup {
    uint64_t* next = nullptr;
    uint64_t* end = nullptr;
    HashUnit* first = nullptr;
    HashUnit* last = nullptr;
  };

  static size_t UnitWords(size_t num_hashes);
  size_t ExtraUnits(const HashList& list, size_t unit_words) const;
  void AddUnits(HashBuffer* memory, size_t num_units);
  void AddFree(uint64_t* memory) { free_ = new (memory) HashUnit{free_}; }
  size_t SizeOf(const HashGroup& group, HashUnit* unit) const {
    return unit == group.last ? static_cast<size_t>(group.next - unit->hashes()) : unit_hashes_;
  }

  template <typename GroupOf>
  void Move(const uint64_t* hashes, size_t n, GroupOf group_of) {
    // A copy: the compiler must assume that writing hashes changes members.
    HashGroup* const groups = groups_.data();
    for (size_t i = 0; i < n; ++i) {
      const uint64_t hash = hashes[i];
      HashGroup& group = groups[group_of(hash)];
      if (group.next == group.end) AddUnit(&group);
      *group.next++ = hash;
    }
  }
  void AddUnit(HashGroup* group) {
    HashUnit* const unit = free_;
    free_ = unit->next;
    HashUnit*& link = group->last == nullptr ? group->first : group->last->next;
    link = unit;
    group->last = unit;
    group->next = unit->hashes();
    group->end = group->next + unit_hashes_;
  }

  const size_t num_groups_;
  size_t unit_hashes_ = 0;
  std::vector<HashGroup> groups_;
  HashBuffer extra_;
  HashBuffer regroup_extra_;
  HashUnit* free_ = nullptr;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_HASH_HASH_GROUPS_H_
