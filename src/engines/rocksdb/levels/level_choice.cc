#include "src/engines/rocksdb/levels/level_choice.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace bloomline::engine {
namespace {

double BitsFor(const LevelRules& rules, const NewFile& file) {
  if (rules.rule != LevelRules::Rule::kByLevel || file.level < 0) return rules.bits_per_key;
  const size_t last = rules.level_bits.size() - 1;
  return rules.level_bits[std::min(static_cast<size_t>(file.level), last)];
}

// RibbonFilterPolicy::GetBuilderWithContext of RocksDB (table/block_based/filter_policy.cc, read in
// 7.8 to 11.9).
bool IsBeforeLevel(int bloom_before_level, const NewFile& file) {
  if (file.is_flush && file.is_compacted_later) return bloom_before_level > -1;
  // Where the level is unknown, and where no compaction writes files anew, RocksDB counts each file
  // as one of the last level.
  return file.level >= 0 && file.is_compacted_later && file.level < bloom_before_level;
}

Format FormatFor(const LevelRules& rules, const NewFile& file) {
  if (rules.bloom_before_level >= 0) {
    return IsBeforeLevel(rules.bloom_before_level, file) ? Format::kBloom : rules.format;
  }
  return file.is_flush || file.is_recovered ? rules.flush_format : rules.format;
}

}  // namespace

LevelRules MakeLevelRules(const RocksDBFilterOptions& options, double bits_per_key) {
  LevelRules rules;
  rules.format = options.format;
  // Beside bloom_before_level, it decides nothing; then it is the other format that files have.
  const Format unset = options.bloom_before_level >= 0 ? Format::kBloom : options.format;
  rules.flush_format = options.flush_format.value_or(unset);
  rules.bloom_before_level = options.bloom_before_level;
  rules.bits_per_key = bits_per_key;
  rules.filters_at_bottom = options.filters_at_bottom;
  // Limited memory is always divided by level.
  if (options.auto_bits_by_level || options.memory_bytes != 0) {
    rules.rule = LevelRules::Rule::kAuto;
  } else if (!options.bits_by_level.empty()) {
    rules.rule = LevelRules::Rule::kByLevel;
    rules.level_bits = options.bits_by_level;
  }
  return rules;
}

FilterChoice ChooseFilter(const LevelRules& rules, const NewFile& file) {
  const Format format = FormatFor(rules, file);
  if (file.is_bottommost && !rules.filters_at_bottom) return {format, 0};
  const double bits = BitsFor(rules, file);
  if (bits == 0) return {format, 0};
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return {format, std::clamp(bits, allowed.min, allowed.max)};
}

SeenLevels LevelHistory::Add(std::string_view column_family, const void* log, const NewFile& file) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const uint64_t of_log = reinterpret_cast<uintptr_t>(log) * 0x9e3779b97f4a7c15;
  const uint64_t hash = std::hash<std::string_view>()(column_family) ^ of_log >> 32;
  Slot& slot = slots_[hash % kSlots];
  // If two threads race, one update may be lost until the next file.
  if (file.has_levels && file.level > 0) {
    slot.trusted_flushes.store(kFlushesPerMerge, kRelaxed);
    const int deepest = file.level + (file.is_bottommost ? 0 : 1);
    slot.deepest.store(std::max(slot.deepest.load(kRelaxed), deepest), kRelaxed);
    slot.top.store(std::min(slot.top.load(kRelaxed), file.level), kRelaxed);
  }
  const int trusted = slot.trusted_flushes.load(kRelaxed);
  if ((file.is_flush || file.is_recovered) && trusted > 0) {
    slot.trusted_flushes.store(trusted - 1, kRelaxed);
  }
  return {trusted > 0, slot.top.load(kRelaxed), slot.deepest.load(kRelaxed)};
}

double BitsWithoutAccount(double mean_bits, const NewFile& file, const SeenLevels& seen) {
  // With 8 bits more in flushed files and 2.5 or 5 in upper levels, databases took up to 1.13 times
  // the mean while compactions lagged; with these, 1.09.
  constexpr double kLess = 0.6;
  constexpr double kMoreInLevel[] = {0.7, 1.5, 3};  // by the distance from the deepest level
  constexpr double kMoreInFlushed[] = {3, 4, 5};
  constexpr double kMoreInMergedTop = 4;  // larger files of level 0
  const auto more = [](const double(&of_distance)[3], int distance) {
    return of_distance[std::clamp(distance, 1, 3) - 1];
  };
  const double least = mean_bits - kLess;
  if (file.is_bottommost) return least;
  if (file.level > 0) return least + more(kMoreInLevel, seen.deepest - file.level);
  if (!seen.merges_flushes) return least;
  if (!file.is_flush && !file.is_recovered) return least + kMoreInMergedTop;
  return least + more(kMoreInFlushed, seen.deepest - seen.top + 1);
}

}  // namespace bloomline::engine
