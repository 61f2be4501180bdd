// What the files of each column family say of the levels in use.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_HISTORY_H_
#define BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_HISTORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/engines/rocksdb/levels/level_choice.h"

namespace bloomline {

// Thread-safe; needs no memory. Column families whose names share a slot, and those of one name in
// several databases of one policy, count as one: the one with more levels decides. Their filters
// then differ in size, never in their answers.
class LevelHistory {
 public:
  // Takes `file` into account. Returns what is known then.
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
    // Flushes that still count as merged: each merge below level 0 vouches for so many.
    std::atomic<int> trusted_flushes{0};
  };
  Family families_[kSlots];
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_HISTORY_H_
