#include "src/engines/rocksdb/levels/level_history.h"

#include <functional>

namespace bloomline {
namespace {

// Sets *seen to `level` if that is deeper. Two threads at once may lose one of the values until the
// next file.
void Deepen(int level, std::atomic<int>* seen) {
  if (level > seen->load(std::memory_order_relaxed)) seen->store(level, std::memory_order_relaxed);
}

}  // namespace

SeenLevels LevelHistory::Add(std::string_view column_family, const NewFile& file) {
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
