#include "src/engines/rocksdb/levels/level_choice.h"

#include <algorithm>

#include "bloomline/level_sizing.h"
#include "src/engines/rocksdb/options/policy_settings.h"

namespace bloomline {
namespace {

static_assert(RocksDBFilterOptions::kMaxLevels <= kMaxLevels);

// RocksDB's default. With a ratio of 10, further levels would hold a millionth of the keys.
constexpr int kAssumedLevels = 7;

// Sets rules->bits to the best spread over full levels.
void SpreadOverLevels(const RocksDBFilterOptions& options, LevelRules* rules) {
  const int num_levels = options.num_levels == 0 ? kAssumedLevels : options.num_levels;
  double keys[RocksDBFilterOptions::kMaxLevels];
  KeysOfLevels(num_levels, options.level_size_ratio, keys);
  SpreadBitsByLevel(rules->format, rules->bits_per_key, keys, num_levels, rules->bits);
  // With next to no memory, no filter at the bottom may be best for the levels assumed. With fewer
  // levels it is not: five at 3 bits per key, compact, would waste 1.01 reads per lookup, not 0.72.
  if (options.num_levels == 0 && rules->bits[num_levels - 1] == 0) {
    std::fill(rules->bits, rules->bits + num_levels, rules->bits_per_key);
  }
  std::reverse(rules->bits, rules->bits + num_levels);  // from the top down to from the bottom up
  rules->num_bits = num_levels;
}

// The deepest level with files, for a file that is not bottommost: it has data below.
int DeepestLevel(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  if (rules.deepest != 0) return std::max(rules.deepest, file.level + 1);
  const int inner = std::max(file.level, seen.deepest_inner);
  // If there is data below the deepest bottom seen, the database has just grown by a level: the
  // first files come there by a move, so they are not seen.
  if (seen.deepest_bottom != 0) return std::max(seen.deepest_bottom, inner + 1);
  // With level_compaction_dynamic_level_bytes, RocksDB's default since 8.4, the bottom is the last
  // level. Without, this says too many levels until the bottom is seen.
  return std::max(file.num_levels - 1, inner + 1);
}

// How many levels there are below the file's, if each is as full as it may be.
int Distance(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  const int deepest = DeepestLevel(rules, file, seen);
  if (file.level > 0 || rules.deepest != 0) return deepest - file.level;
  // Level 0 is as good as one above the first level in use. Files made at once may leave a top
  // below the deepest level seen.
  return deepest - std::clamp(seen.top, 1, deepest) + 1;
}

// Without levels, RocksDB does not say how large a file is among the others.
bool HasLevel(const NewFile& file) { return file.has_levels && file.level >= 0; }

// RocksDB moves flushed files down as they are if their ranges do not overlap. All of the database
// would then have the filters of its smallest level.
bool MayBeMoved(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  return file.level == 0 && rules.deepest == 0 && !seen.flushes_are_merged;
}

double BitsByDistance(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  if (!HasLevel(file)) return rules.bits_per_key;
  if (file.is_bottommost) return rules.bits[0];
  if (MayBeMoved(rules, file, seen)) return rules.bits_per_key;
  return rules.bits[std::min(Distance(rules, file, seen), rules.num_bits - 1)];
}

double BitsFor(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  switch (rules.rule) {
    case LevelRules::Rule::kUniform:
      break;
    case LevelRules::Rule::kByLevel:
      if (file.level < 0) break;
      return rules.bits[std::min(file.level, rules.num_bits - 1)];
    case LevelRules::Rule::kByDistance:
      return BitsByDistance(rules, file, seen);
  }
  return rules.bits_per_key;
}

}  // namespace

LevelRules MakeLevelRules(const RocksDBFilterOptions& options) {
  LevelRules rules;
  rules.format = options.format;
  rules.flush_format = options.flush_format.value_or(options.format);
  rules.bits_per_key = WritesFilters(options) ? Normalized(options).bits_per_key : 0;
  rules.filters_at_bottom = options.filters_at_bottom;
  if (options.auto_bits_by_level && rules.bits_per_key != 0) {
    rules.rule = LevelRules::Rule::kByDistance;
    rules.deepest = std::max(options.num_levels - 1, 0);
    SpreadOverLevels(options, &rules);
  } else if (!options.bits_by_level.empty()) {
    rules.rule = LevelRules::Rule::kByLevel;
    rules.num_bits = static_cast<int>(options.bits_by_level.size());
    std::copy(options.bits_by_level.begin(), options.bits_by_level.end(), rules.bits);
  }
  return rules;
}

FilterChoice ChooseFilter(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  const Format format = file.is_flush ? rules.flush_format : rules.format;
  if (file.is_bottommost && !rules.filters_at_bottom) return {format, 0};
  const double bits = BitsFor(rules, file, seen);
  if (bits == 0) return {format, 0};
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return {format, std::clamp(bits, allowed.min, allowed.max)};
}

int NumLevelsBelow(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  const bool is_known = HasLevel(file) && !MayBeMoved(rules, file, seen);
  return file.is_bottommost || !is_known ? 0 : Distance(rules, file, seen);
}

}  // namespace bloomline
