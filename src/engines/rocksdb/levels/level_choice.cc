#include "src/engines/rocksdb/levels/level_choice.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/engines/rocksdb/builder/table_plan.h"
#include "src/filter/sizing/level_rule.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/support/bisection.h"

namespace bloomline::engine {
namespace {

filter::FullLevels FullLevelsOf(const LevelRules& rules) {
  const int num_levels = rules.deepest == 0 ? 0 : rules.deepest + 1;
  return {num_levels, rules.level_size_ratio, rules.counts_bottom};
}

// StockPolicies keeps a policy for each number of bits per key. Rounding limits their number.
double DownToStep(double bits_per_key) {
  constexpr double kSteps = 32;  // in each bit
  return std::floor(bits_per_key * kSteps) / kSteps;
}

// The deepest level with files, for a file that is not bottommost: it has data below. Files made at
// once may leave a top below it.
int DeepestLevel(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  if (rules.deepest != 0) return std::max(rules.deepest, file.level + 1);
  const int inner = std::max(file.level, seen.deepest_inner);
  // If there is data below the deepest bottom seen, the database has just grown by a level: the
  // first files come there by a move, so they are not seen.
  if (seen.deepest_bottom != 0) return std::max(seen.deepest_bottom, inner + 1);
  // With level_compaction_dynamic_level_bytes, RocksDB's default since 8.4, the bottom is the last
  // level. Without it, this gives too many levels until the bottom is seen.
  return std::max(file.num_levels - 1, inner + 1);
}

// Without levels, RocksDB does not say how large a file is among the others.
bool HasLevel(const NewFile& file) { return file.has_levels && file.level >= 0; }

// RocksDB moves flushed files down unchanged if their ranges do not overlap. All of the database
// would then have the filters of its smallest level.
bool MayBeMoved(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  return file.level == 0 && rules.deepest == 0 && !seen.flushes_are_merged;
}

double BitsByDistance(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  if (!HasLevel(file)) return rules.bits_per_key;
  if (!file.is_bottommost && MayBeMoved(rules, file, seen)) return rules.bits_per_key;
  return rules.level_bits.At(file.level, file.is_bottommost,
                             {rules.deepest == 0 ? seen.top : 1, DeepestLevel(rules, file, seen)});
}

double BitsFor(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  switch (rules.rule) {
    case LevelRules::Rule::kUniform:
      break;
    case LevelRules::Rule::kByLevel:
      if (file.level < 0) break;
      return rules.level_bits[file.level];
    case LevelRules::Rule::kByDistance:
      return BitsByDistance(rules, file, seen);
  }
  return rules.bits_per_key;
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

SeenLevels LevelHistory::Add(std::string_view column_family, const NewFile& file) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  // Two threads at once may lose one of the values until the next file.
  Family& family = families_[std::hash<std::string_view>()(column_family) % kSlots];
  if (file.has_levels && file.level > 0) {
    std::atomic<int>& seen = file.is_bottommost ? family.deepest_bottom : family.deepest_inner;
    if (file.level > seen.load(kRelaxed)) seen.store(file.level, kRelaxed);
    const int top = family.top.load(kRelaxed);
    if (top == 0 || file.level < top) family.top.store(file.level, kRelaxed);
    family.trusted_flushes.store(kFlushesPerMerge, kRelaxed);
  }
  const int trusted = family.trusted_flushes.load(kRelaxed);
  if ((file.is_flush || file.is_recovered) && trusted > 0)
    family.trusted_flushes.store(trusted - 1, kRelaxed);
  return {family.top.load(kRelaxed), family.deepest_bottom.load(kRelaxed),
          family.deepest_inner.load(kRelaxed), trusted > 0};
}

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
  if ((options.auto_bits_by_level || options.memory_bytes != 0) && rules.bits_per_key != 0) {
    rules.rule = LevelRules::Rule::kByDistance;
    rules.deepest = std::max(options.levels_in_use - 1, 0);
    rules.level_size_ratio = options.level_size_ratio;
    rules.counts_bottom = options.memory_bytes == 0 || options.filters_at_bottom;
    rules.level_bits =
        filter::SpreadByDistance(rules.format, rules.bits_per_key, FullLevelsOf(rules));
  } else if (!options.bits_by_level.empty()) {
    rules.rule = LevelRules::Rule::kByLevel;
    rules.level_bits.num_bits = static_cast<int>(options.bits_by_level.size());
    std::copy(options.bits_by_level.begin(), options.bits_by_level.end(), rules.level_bits.bits);
  }
  return rules;
}

LevelRules LoweredTo(double bits_per_key, LevelRules rules) {
  if (rules.rule != LevelRules::Rule::kByDistance || bits_per_key >= rules.bits_per_key) {
    return rules;
  }
  const double least = std::min(kMinBits, rules.bits_per_key);
  const double mean = std::max(bits_per_key, least);
  const double memory = filter::MemoryBits(rules.format, mean);
  const filter::FullLevels levels = FullLevelsOf(rules);
  filter::LevelBits lowered;
  const auto spread = [&](double spread_mean) {
    lowered = filter::SpreadByDistance(rules.format, spread_mean, levels);
    for (double& bits : lowered.bits) bits = std::max(bits, least);
    return filter::MeanMemory(rules.format, levels, lowered);
  };
  // The levels below `least` take memory from the others.
  if (spread(mean) > memory * 1.001) {
    const auto fits = [&](double spread_mean) { return spread(spread_mean) <= memory; };
    const double precision = mean / 200;  // coarse: each try is a whole spread
    spread(support::Bisect(0.0, mean, fits, precision).holds);
  }
  rules.bits_per_key = DownToStep(mean);
  for (double& bits : lowered.bits) bits = DownToStep(bits);
  rules.level_bits = lowered;
  return rules;
}

FilterChoice ChooseFilter(const LevelRules& rules, const NewFile& file, const SeenLevels& seen) {
  const Format format = FormatFor(rules, file);
  if (file.is_bottommost && !rules.filters_at_bottom) return {format, 0};
  const double bits = BitsFor(rules, file, seen);
  if (bits == 0) return {format, 0};
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return {format, std::clamp(bits, allowed.min, allowed.max)};
}

}  // namespace bloomline::engine
