// What the files of each column family say about the levels in use.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_HISTORY_H_
#define BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_HISTORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "src/engines/rocksdb/levels/level_choice.h"

namespace bloomline {

// Thread-safe; needs no memory. Column families whose names share a slot, and those of one name in
// several databases of one policy, count as one: the one with more levels decides. Their filters
// then differ in size, never in their answers.
class LevelHistory {
 public:
  // Takes `file` into account. Returns what is then known.
  SeenLevels Add(std::string_view column_family, const NewFile& file);

 private:
  // RocksDB stops writes at 36 files in level 0 (level0_stop_writes_trigger) unless compactions
  // take them away.
  static constexpr int kFlushesPerMerge = 32;
  static constexpr size_t kSlots = 16;

  struct Family {
    std::atomic<int> top{0};
    std::atomic<int> deepest_bottom{0};
    std::atomic<int> deepest_inner{0};
    // Flushes that still count as merged: each merge below level 0 vouches for a number.
    std::atomic<int> trusted_flushes{0};
  };
  // Sets *seen to `level` if that is deeper. Two threads at once may lose one of the values until
  // the next file.
  static void Deepen(int level, std::atomic<int>* seen) {
    if (level > seen->load(std::memory_order_relaxed))
      seen->store(level, std::memory_order_relaxed);
  }

  Family families_[kSlots];
};

inline SeenLevels LevelHistory::Add(std::string_view column_family, const NewFile& file) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  Family& family = families_[std::hash<std::string_view>()(column_family) % kSlots];
  if (file.has_levels && file.level > 0) {
    Deepen(file.level, file.is_bottommost ? &family.deepest_bottom : &family.deepest_inner);
    const int top = family.top.load(kRelaxed);
    if (top == 0 || file.level < top) family.top.store(file.level, kRelaxed);
    family.trusted_flushes.store(kFlushesPerMerge, kRelaxed);
  }
  const int trusted = family.trusted_flushes.load(kRelaxed);
  if (file.is_flush && trusted > 0) family.trusted_flushes.store(trusted - 1, kRelaxed);
  return {family.top.load(kRelaxed), family.deepest_bottom.load(kRelaxed),
          family.deepest_inner.load(kRelaxed), trusted > 0};
}

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_HISTORY_H_
