#include "src/db/survey/situation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "bloomline/cpu.h"
#include "src/db/survey/kept_policy.h"
#include "src/db/survey/report.h"
#include "src/db/tree/options_file.h"
#include "src/filter/options/policy_id.h"

namespace bloomline::db {
namespace {

// The layout that has most of the filters' bytes, if it is one of RocksDB's own. None beside
// filters that match every key: this layout in all files is an improvement.
std::optional<Format> StockFormatOf(const Group& group) {
  if (group.layouts.count(engine_filters::FilterLayout::kFormerCompact) != 0) return std::nullopt;
  const auto most = std::max_element(
      group.layouts.begin(), group.layouts.end(),
      [](const auto& a, const auto& b) { return a.second.bytes < b.second.bytes; });
  if (most == group.layouts.end()) return std::nullopt;
  for (const filter::FormatRow& row : filter::kFormats) {
    const bool is_most = filter::LayoutRowFor(row.format).layout == most->first;
    if (is_most && filter::IsStock(row.format)) return row.format;
  }
  return std::nullopt;
}

model::Compaction CompactionOf(const std::string& style) {
  if (style.empty() || style == "kCompactionStyleLevel") return model::Compaction::kLeveled;
  if (style == "kCompactionStyleUniversal") return model::Compaction::kUniversal;
  return model::Compaction::kOther;
}

filter::LevelTargets TargetsOf(const tree::ColumnFamily& family, const Group& all) {
  const double keys_per_byte = Quotient(all.all_keys(), std::max<uint64_t>(1, all.bytes));
  filter::LevelTargets targets;
  targets.has_levels = CompactionOf(family.compaction_style) == model::Compaction::kLeveled;
  targets.is_dynamic = family.dynamic_levels != "false";
  targets.base_keys = family.base_bytes * keys_per_byte;
  targets.ratio = family.level_size_ratio;
  targets.least_keys = family.write_buffer_bytes * keys_per_byte;
  return targets;
}

// As the files' filters have or, if there are none that show it, as the policy in OPTIONS says. A
// filter of few keys has whole blocks. In RocksDB, all partitions of a file count as one.
double WantedBits(const tree::ColumnFamily& family, const Group& all, tables::Engine engine) {
  constexpr double kDefault = 10;
  const bool is_rocksdb = engine == tables::Engine::kRocksDB;
  const uint64_t least_keys = is_rocksdb ? 100 : 10;
  const uint64_t filters =
      is_rocksdb ? all.files.size() - all.files_without_filter : all.num_filters;
  if (all.num_filters != 0 && all.num_keys / filters >= least_keys) {
    return std::clamp(all.bits_per_key(), kMinBitsPerKey, 100.0);
  }
  return BitsOfPolicy(family.filter_policy).value_or(kDefault);
}

}  // namespace

bool ReadsRibbon(const Inputs& inputs, const FamilyGroups& groups) {
  const auto version = tree::VersionOf(inputs.databases[groups.database].rocksdb_version);
  if (version != tree::RocksDBVersion()) return version >= tree::kFirstWithRibbon;
  return groups.all.layouts.count(engine_filters::FilterLayout::kRocksDBRibbon) != 0;
}

model::Situation SituationOf(const Inputs& inputs, const FamilyGroups& groups) {
  const tree::ColumnFamily& family = inputs.column_family(groups);
  model::Situation situation;
  situation.engine = inputs.databases[groups.database].engine;
  situation.compaction = CompactionOf(family.compaction_style);
  situation.stock_format = StockFormatOf(groups.all);
  situation.reads_ribbon = ReadsRibbon(inputs, groups);
  const auto version = tree::VersionOf(inputs.databases[groups.database].rocksdb_version);
  const bool is_known = version != tree::RocksDBVersion();
  situation.loads_bloomline = !is_known || version >= tree::kFirstForBloomline;
  situation.takes_whole_bits = is_known && version < tree::kFirstWithFractions;
  if (is_known && version < tree::kFirstWithRibbonFilter) {
    situation.ribbon_name = "experimental_ribbon";
  }
  situation.cpu = model::ThisBuildCpu(ActiveKernelName());
  situation.table_bytes = groups.all.bytes;
  const bool is_for_hits = family.filters_for_hits == "true";
  situation.skips_last_level =
      is_for_hits && !groups.levels.empty() && groups.levels.back().level != 0;
  situation.writes_old_bloom = !situation.takes_whole_bits && WritesOldBloom(family);
  situation.asks_ribbon =
      filter::ParsePolicyId(tree::OptionId(family.filter_policy)).policy_class ==
      filter::PolicyClass::kRibbon;
  situation.targets = TargetsOf(family, groups.all);
  situation.wanted_bits = WantedBits(family, groups.all, situation.engine);
  for (const Group& group : groups.levels) {
    model::Level level;
    level.number = group.level;
    level.num_runs = std::max(group.runs, 1e-6);  // level_sizing.h allows no less
    // Files without a filter will get one that holds all their keys.
    level.num_keys = group.all_keys();
    if (group.level == 0 && level.num_keys != 0) {
      situation.targets.least_keys = Quotient(level.num_keys, group.files.size());
    }
    level.num_filters = std::max<uint64_t>(1, group.num_filters + group.missing_filters);
    level.filter_bytes = group.key_bytes();
    if (!is_for_hits) level.unfiltered_keys = group.keys_without_filter;
    // Whatever its files have.
    const bool is_skipped = situation.skips_last_level && &group == &groups.levels.back();
    // If level 0 is the last one, RocksDB flushes files with filters, and queries all but that of
    // the oldest file (Version::IsFilterSkipped in version_set.cc, read in 6.29 to 11.9). Only
    // without leveled compaction does it stay the last one.
    if (is_for_hits && situation.compaction != model::Compaction::kLeveled && group.level == 0 &&
        groups.levels.size() == 1) {
      level.unqueried_share = 1.0 / static_cast<double>(group.files.size());
    }
    level.wasted_reads = std::isnan(group.wasted_reads) || is_skipped
                             ? group.runs
                             : level.Wasted(group.wasted_reads);
    situation.levels.push_back(level);
  }
  return situation;
}

}  // namespace bloomline::db
