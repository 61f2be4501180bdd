// The remarks of `bloomline db advise` (advise_output.h).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "src/db/advise/advise_output.h"
#include "src/db/survey/kept_policy.h"
#include "src/db/survey/report.h"
#include "src/db/survey/situation.h"
#include "src/db/tree/options_file.h"
#include "src/filter/options/formats.h"
#include "src/filter/options/policy_id.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"
#include "src/tool/quantity.h"

namespace bloomline::db {
namespace {

using model::Choice;

// All that remarks depend on.
struct RemarkContext {
  const FamilyAdvice& family;
  const Inputs& inputs;
  const Inspection& inspection;
  size_t g;  // the column family, in inspection.groups
  const Statistics* statistics;
  uint64_t cache_bytes;

  const FamilyGroups& groups = inspection.groups[g];
  const Group& all = groups.all;
  const model::Situation& situation = family.situation;
  const std::string policy = tree::ShortPolicy(inspection.policies[g]);

  bool is_rocksdb() const { return situation.engine == tables::Engine::kRocksDB; }
  bool is_goleveldb() const { return inputs.databases[groups.database].is_goleveldb; }
  bool has_choices() const { return !family.advice.choices.empty(); }
  const Choice& chosen() const { return family.advice.Chosen(family.request); }
};

std::string OrUnknown(const std::string& option) { return option.empty() ? "unknown" : option; }

// ---- When a remark applies.

bool LacksFilters(const RemarkContext& c) { return c.all.keys_without_filter != 0; }
bool IgnoresFilters(const RemarkContext& c) { return c.all.ignored_files != 0; }
bool HasLegacyFilters(const RemarkContext& c) {
  return c.all.layouts.count(engine_filters::FilterLayout::kRocksDBLegacy) != 0;
}
bool HasBlockBasedFilters(const RemarkContext& c) {
  return c.all.layouts.count(engine_filters::FilterLayout::kRocksDBBlockBased) != 0;
}
bool HasFormerCompactFilters(const RemarkContext& c) {
  return c.all.layouts.count(engine_filters::FilterLayout::kFormerCompact) != 0;
}
bool NeedsNoChange(const RemarkContext& c) {
  return c.all.files_without_filter == 0 && c.all.ignored_files == 0 && !c.has_choices() &&
         !c.is_goleveldb();
}
bool IsGoLevelDB(const RemarkContext& c) { return c.is_goleveldb(); }
bool KnowsCache(const RemarkContext& c) { return c.cache_bytes != 0; }
bool CannotReadRibbon(const RemarkContext& c) {
  return c.is_rocksdb() && !c.situation.reads_ribbon;
}

// The choice:
bool IsRibbon(const RemarkContext& c) { return c.chosen().format == Format::kRibbon; }
bool NeedsAccount(const RemarkContext& c) { return !c.chosen().database_option().empty(); }
bool FiltersLastLevel(const RemarkContext& c) { return c.chosen().filters_last_level; }
bool NeedsFormatVersion(const RemarkContext& c) { return c.chosen().needs_format_version; }
bool HasWeakHash(const RemarkContext& c) {
  return filter::HasLegacy(c.chosen().format) && c.situation.takes_whole_bits;
}
bool OptionsNameBloomline(const RemarkContext& c) {
  return !c.chosen().environment.empty() && tree::OptionId(c.policy) == "bloomline";
}
bool TakesTimeToBuild(const RemarkContext& c) { return c.chosen().build_share != 0; }
bool RestsBelowTop(const RemarkContext& c) { return !std::isnan(c.chosen().wasted_busy); }
bool Always(const RemarkContext&) { return true; }

bool KeepsLastLevelUnfiltered(const RemarkContext& c) {
  const std::vector<Choice>& choices = c.family.advice.choices;
  const bool helps_as_is = std::any_of(choices.begin(), choices.end(), [](const Choice& choice) {
    return !choice.filters_last_level;
  });
  return c.situation.skips_last_level && !helps_as_is;
}

// Whether the program reads and queries no filter.
bool QueriesNone(const RemarkContext& c) {
  if (c.statistics == nullptr || c.all.filter_bytes == 0) return false;
  const Statistics& counted = *c.statistics;
  const uint64_t gets =
      counted.gets_of_missing_keys.value_or(0) + counted.gets_of_stored_keys.value_or(0);
  return gets != 0 && counted.queries() + counted.prefix_checked == 0;
}

// ---- What remarks say.

std::string UnfilteredText(const RemarkContext& c) {
  std::string text = ShareText(c.all.keys_without_filter, c.all.all_keys()) +
                     " of the keys have no filter: a Get of a missing key reads a block in " +
                     tool::NumberText(c.all.unfiltered_runs, 2) + " files without one on average.";
  const uint64_t missing_bytes = c.situation.missing_bytes();
  if (missing_bytes != 0 && c.family.asks_nothing() && !c.is_goleveldb()) {
    text += " They count as keys that should have filters of " +
            tool::NumberText(c.situation.wanted_bits, 1) +
            " bits per key, so the memory grows by " + tool::BytesText(missing_bytes) + ".";
  }
  const std::string& for_hits = c.inputs.column_family(c.groups).filters_for_hits;
  if (c.is_rocksdb() && for_hits == "true") {
    text +=
        " optimize_filters_for_hits is true in OPTIONS: RocksDB writes no filter in the last "
        "level, and queries none there, also after a compaction or bloomline db rewrite.";
  } else if (c.is_rocksdb() && for_hits != "false") {
    text +=
        " With optimize_filters_for_hits (in OPTIONS: unknown) RocksDB writes none in the last "
        "level.";
  }
  return text;
}

std::string IgnoredText(const RemarkContext& c) {
  return "The running policy (" + c.policy + ") ignores the filters of " +
         tool::CountText(c.all.ignored_files) + " of " + tool::CountText(c.all.files.size()) +
         " files, so these files count as without filters.";
}

// What cures RocksDB's Bloom filters of before format_version 5.
std::string WeakHashText(const RemarkContext& c) {
  const Group& all = c.all;
  constexpr double kMostBits = 100;  // the smallest filters have more
  std::string rate;
  if (all.num_keys != 0) {
    const double bits = std::clamp(all.bits_per_key(), kMinBitsPerKey, kMostBits);
    const uint64_t keys = std::max<uint64_t>(1, all.num_keys / all.num_filters);
    const Format format =
        *filter::LayoutRowFor(engine_filters::FilterLayout::kRocksDBLegacy).format;
    rate =
        " (FPR " +
        RateOrDash(engine_filters::FiguresFor(tables::Engine::kRocksDB, format, keys, bits).rate) +
        ")";
  }
  return "Bloom filters of RocksDB's format_version 4 and lower have a weak hash, which adjacent "
         "keys show. format_version=5 in BlockBasedTableOptions cures it" +
         rate + " in the same memory, without bloomline. RocksDB 6.6 and later read such files.";
}

std::string KeepText(const RemarkContext& c) {
  std::string text =
      "The filters are already as good as bloomline's would be: no choice saves a twentieth of "
      "the wasted reads or of the memory.";
  if (!c.policy.empty()) {
    text += " New files get the filters of the running policy, " + c.policy + ".";
  }
  const KeptFilters kept = FiltersToKeep(c.inputs, c.inspection, c.g);
  if (kept.policy.empty()) return text;
  return text + " To keep the present ones, set filter_policy=" + kept.policy +
         (kept.needs_format_version ? " and format_version=5." : ".");
}

struct CachedBytes {
  uint64_t filters = 0;
  uint64_t indexes = 0;

  uint64_t all() const { return filters + indexes; }
};

// Column families share the cache; those with another cache_index_and_filter_blocks do not count.
CachedBytes BytesToCache(const RemarkContext& c) {
  const std::string& is_cached = c.inputs.column_family(c.groups).caches_filters;
  CachedBytes bytes;
  for (const FamilyGroups& one : c.inspection.groups) {
    const bool is_alike = c.inputs.column_family(one).caches_filters == is_cached;
    if (one.database != c.groups.database || !is_alike) continue;
    for (const size_t i : one.all.files) {
      bytes.filters += c.inspection.files[i].facts.filter_bytes;
      bytes.indexes += c.inspection.files[i].facts.index_bytes;
    }
  }
  return bytes;
}

bool NeedsPartitions(const RemarkContext& c) {
  const uint64_t files_with_filter = c.all.files.size() - c.all.files_without_filter;
  const bool is_partitioned = c.all.partitioned_files == files_with_filter &&
                              c.inputs.column_family(c.groups).caches_filters == "true";
  return c.is_rocksdb() && KnowsCache(c) && !is_partitioned &&
         BytesToCache(c).all() > c.cache_bytes / 2;
}

std::string CacheShare(uint64_t bytes, uint64_t cache_bytes, const std::string& name) {
  const double times = Quotient(bytes, cache_bytes);
  if (times < 10) return ShareText(bytes, cache_bytes) + " of " + name;
  return (times > 1000 ? "more than 1,000" : tool::NumberText(times, 0)) + " times " + name;
}

std::string CacheText(const RemarkContext& c) {
  const std::string& is_cached = c.inputs.column_family(c.groups).caches_filters;
  const CachedBytes bytes = BytesToCache(c);
  const std::string text = "Filters (" + tool::BytesText(bytes.filters) + ") and indexes (" +
                           tool::BytesText(bytes.indexes) + ")";
  const std::string name = "the block cache of " + tool::BytesText(c.cache_bytes);
  if (is_cached == "true") {
    return text + " take " + CacheShare(bytes.all(), c.cache_bytes, name) +
           (bytes.all() > c.cache_bytes / 2
                ? ". A larger cache helps, or fewer bits per key (--memory)."
                : ".");
  }
  const std::string why =
      c.is_rocksdb() ? "cache_index_and_filter_blocks in OPTIONS is " + OrUnknown(is_cached) + "."
                     : "LevelDB caches only data blocks.";
  return text + " are in the memory of the open tables, beside " + name + ": " + why +
         (c.is_rocksdb() ? " They would take " + CacheShare(bytes.all(), c.cache_bytes, "it") + "."
                         : "");
}

std::string RibbonText(const RemarkContext&) {
  return "For Ribbon filters, bits_per_key is that of Bloom filters with the same FPR; they need a "
         "third less memory, which the table shows. RocksDB's own ribbonfilter:N builds them in " +
         tool::NumberText(model::kRocksDBRibbonBuildNs, 0) + " ns per key.";
}

std::string LastLevelText(const RemarkContext& c) {
  const std::string text =
      "This choice needs optimize_filters_for_hits=false in the options of the column family, "
      "which no preload library sets: without it, ";
  if (c.situation.skips_last_level) return text + "the last level has no filters.";
  return text + "RocksDB does not query the filter of the oldest file.";
}

std::string StatesText(const RemarkContext& c) {
  return support::StrCat("'busy' is the waste with ", model::kFilesWritten,
                         " files in level 0, which is usual while a program writes much. At rest, "
                         "level 0 is empty: then this choice wastes ",
                         RateOrDash(c.chosen().wasted_at_rest), ", and the present filters waste ",
                         RateOrDash(c.family.advice.wasted_at_rest_now), ".");
}

std::string BuildText(const RemarkContext& c) {
  const double share = c.chosen().build_share;
  return "Building the filters of this choice takes about " + tool::RateText(share, 2) +
         " of the CPU time of compaction" +
         (share > model::kMostBuildShare ? ", too much for a first choice" : "") +
         ". These times were measured on " + model::Name(c.situation.cpu.machine) +
         ", with the instruction set of this CPU.";
}

// Says how existing files get the new filters, and which programs can use these.
std::string ApplyText(const RemarkContext& c) {
  const Choice& chosen = c.chosen();
  if (!chosen.rewrite_policy.empty()) {
    return "RocksDB " + c.inputs.databases[c.groups.database].rocksdb_version +
           " cannot load bloomline, which needs 7.0 or later, but uses these filters: bloomline db "
           "rewrite gives them to the files of a closed database. New files get those of the "
           "program's own policy.";
  }
  const std::string text =
      std::string("Only files that are written from now on get the new filters; ") +
      (chosen.filters_last_level ? "once OPTIONS have that option, " : "") +
      "bloomline db rewrite or a compaction gives them to the others. ";
  if (!chosen.is_stock()) {
    return text + EngineName(c.situation.engine) +
           " without bloomline cannot use them and reads a block from every file that could hold "
           "the key, so each program that reads the database needs bloomline.";
  }
  if (chosen.needs_no_bloomline()) return text + "RocksDB writes and uses them without bloomline.";
  return text + "RocksDB without bloomline uses them, too.";
}

// What sets the present filters again, as the end of "set filter_policy". RocksDB before 7.0 writes
// into OPTIONS files only the name of its own policies, as any version does if its C functions made
// them. That name is no option string: RocksDB 6.29 and 7.8 take it without an error, and then
// write no filters. So the bits are those of the files.
std::string PresentPolicy(const std::string& policy, const Group& all) {
  const bool has_bits = policy.find(':') != policy.npos || policy.substr(0, 1) == "{";
  const bool is_name = policy.rfind("rocksdb.", 0) == 0 || !filter::ParsePolicyId(policy).is_valid;
  if (!is_name || has_bits) {
    return policy.empty() ? " to the present one" : "=" + policy;
  }
  const auto most = std::max_element(
      all.layouts.begin(), all.layouts.end(),
      [](const auto& a, const auto& b) { return a.second.bytes < b.second.bytes; });
  if (most == all.layouts.end() || all.num_keys == 0) return " to the present one";
  const auto whole = [](double bits) {
    return tool::NumberText(std::clamp(bits, kMinBitsPerKey, 100.0), 0);
  };
  Format format = filter::LayoutRowFor(most->first).format.value_or(filter::kRocksDBDefault);
  if (!filter::IsStock(format)) format = filter::kRocksDBDefault;
  const filter::FormatRow& row = filter::RowOf(format);
  return support::StrCat("=", row.rocksdb_policy, ":",
                         whole(filter::BitsOfMemory(format, all.bits_per_key())),
                         row.takes_bloom_level() ? ":-1" : row.rocksdb_suffix);
}

std::string GoBackText(const RemarkContext& c) {
  const Choice& chosen = c.chosen();
  if (!chosen.rewrite_policy.empty()) {
    return "To go back, start the program on the original folder.";
  }
  return "To go back, set filter_policy" + PresentPolicy(c.policy, c.all) +
         (chosen.is_stock() ? "." : " and rewrite the files again.");
}

// ---- The remarks, in the order in which they are printed.

struct RemarkRow {
  using RemarkText = std::string (*)(const RemarkContext&);
  constexpr RemarkRow(RemarkScope s, bool (*a)(const RemarkContext&), RemarkText t)
      : scope(s), applies(a), text(t) {}
  constexpr RemarkRow(RemarkScope s, bool (*a)(const RemarkContext&), const char* t)
      : scope(s), applies(a), fixed_text(t) {}

  RemarkScope scope;
  bool (*applies)(const RemarkContext&);
  RemarkText text = nullptr;
  const char* fixed_text = nullptr;
};

constexpr RemarkScope kFamily = RemarkScope::kFamily;
constexpr RemarkScope kAll = RemarkScope::kAll;

constexpr RemarkRow kRemarks[] = {
    {kFamily, LacksFilters, UnfilteredText},
    {kFamily, IgnoresFilters, IgnoredText},
    {kFamily, KeepsLastLevelUnfiltered,
     "With optimize_filters_for_hits=true, as in OPTIONS, no choice saves a twentieth of the "
     "wasted reads of the levels that have filters."},
    {kFamily, HasLegacyFilters, WeakHashText},
    {kFamily, HasBlockBasedFilters,
     "Block-based filters have the weak 32-bit hash of old Bloom filters, which adjacent keys "
     "show. bloomfilter:BITS:false gives full filters, whose hash is better from "
     "format_version=5 on."},
    {kFamily, HasFormerCompactFilters,
     "Compact filters of bloomline before 0.4.0 match every key. Files get new filters by "
     "compaction or bloomline db rewrite."},
    {kFamily, NeedsNoChange, KeepText},
    {kFamily, IsGoLevelDB, [](const RemarkContext&) { return kGoLevelDBCure + std::string("."); }},
    {kFamily, QueriesNone,
     "The filters are not used here: the statistics count Gets and no query of a filter. "
     "bloomline-db(1) has the usual reasons."},
    {kAll, KnowsCache, CacheText},
    {kAll, KnowsCache,
     "--cache does not choose: the choices and their order are the same without it. Where filters "
     "do not fit into the cache, reading them again costs reads that the table does not show."},
    {kAll, CannotReadRibbon,
     "Ribbon filters are left out: neither OPTIONS nor LOG shows RocksDB 6.15 or later, which "
     "reads them."},
};

// These follow if there is a choice.
constexpr RemarkRow kRemarksOnChoice[] = {
    {kAll, IsRibbon, RibbonText},
    {kAll, NeedsAccount,
     "By level, bits_per_key is the mean of all files: a new file gets what the filters of the "
     "other files leave. For this, the program needs a FilterAccount among its listeners, which "
     "the "
     "preload library adds for the system's RocksDB. Without one, more reads are wasted than the "
     "table shows."},
    {kFamily, RestsBelowTop, StatesText},
    {kAll, FiltersLastLevel, LastLevelText},
    {kAll, NeedsFormatVersion,
     "This choice needs format_version=5 in BlockBasedTableOptions, which no preload library "
     "sets: below 5, Bloom filters have a weak hash."},
    {kAll, HasWeakHash,
     "Before RocksDB 6.6, Bloom filters have a weak hash: for keys like the stored ones, more "
     "reads are wasted than the table shows."},
    {kFamily, OptionsNameBloomline,
     "OPTIONS name bloomline. If the program itself does so, without a preload library, the "
     "environment changes nothing."},
    {kFamily, TakesTimeToBuild, BuildText},
    {kAll, Always, ApplyText},
    {kFamily, Always, GoBackText},
};

}  // namespace

std::vector<std::string> CacheOptions(const FamilyAdvice& family, const Inputs& inputs,
                                      const Inspection& inspection, size_t g,
                                      uint64_t cache_bytes) {
  if (!NeedsPartitions({family, inputs, inspection, g, nullptr, cache_bytes})) return {};
  return {"cache_index_and_filter_blocks=true",
          "cache_index_and_filter_blocks_with_high_priority=true",
          "index_type=kTwoLevelIndexSearch", "partition_filters=true",
          "pin_top_level_index_and_filter=true"};
}

std::vector<Remark> Remarks(const FamilyAdvice& family, const Inputs& inputs,
                            const Inspection& inspection, size_t g, const Statistics* statistics,
                            uint64_t cache_bytes) {
  const RemarkContext context = {family, inputs, inspection, g, statistics, cache_bytes};
  std::vector<Remark> remarks;
  const auto add = [&](const RemarkRow& row) {
    if (!row.applies(context)) return;
    remarks.push_back({row.scope, row.text != nullptr ? row.text(context) : row.fixed_text});
  };
  for (const RemarkRow& row : kRemarks) add(row);
  if (!context.has_choices()) return remarks;
  for (const RemarkRow& row : kRemarksOnChoice) add(row);
  return remarks;
}

}  // namespace bloomline::db
