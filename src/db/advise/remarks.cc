// The remarks of `bloomline db advise` (advise_output.h).
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "src/cli/shared/quantity.h"
#include "src/db/advise/advise_output.h"
#include "src/db/directory/options_file.h"
#include "src/db/report.h"

namespace bloomline::db {
namespace {

using advice::Choice;

// One column family, the choice that is shown for it, and what else is known.
struct Subject {
  const FamilyAdvice& family;
  const Inputs& inputs;
  const Inspection& inspection;
  const FamilyGroups& groups;
  const Statistics* statistics;
  uint64_t cache_bytes;
  std::string policy;  // the running policy
  Choice chosen;

  const Group& all() const { return groups.all; }
  bool is_rocksdb() const { return family.situation.engine == sstable::Engine::kRocksDB; }
  bool has_choices() const { return !family.advice.choices.empty(); }
  bool has_unfiltered_keys() const { return all().keys_without_filter != 0; }
  bool ignores_filters() const { return all().ignored_files != 0; }
  // Whether filters are RocksDB's Bloom filters of before format_version 5.
  bool has_weak_hash() const {
    return all().kinds.count(engine_filters::Kind::kRocksDBLegacy) != 0;
  }
  bool is_as_good() const {
    return all().files_without_filter == 0 && !ignores_filters() && !has_choices();
  }
  // Whether the program reads and queries no filter.
  bool is_unused() const {
    if (statistics == nullptr || all().filter_bytes == 0) return false;
    const uint64_t gets =
        statistics->gets_of_missing_keys.value_or(0) + statistics->gets_of_stored_keys.value_or(0);
    return gets != 0 && statistics->queries() + statistics->prefix_checked == 0;
  }
  bool has_ranges() const { return all().ranges.files != 0; }
  bool is_cache_known() const { return cache_bytes != 0; }
  bool is_ribbon() const { return chosen.format == Format::kRibbon; }
  bool is_by_level() const { return chosen.by_level; }
};

std::string OrUnknown(const std::string& option) { return option.empty() ? "unknown" : option; }

std::string UnfilteredText(const Subject& s) {
  const std::string& for_hits = s.inputs.column_family(s.groups).filters_for_hits;
  std::string text = ShareText(s.all().keys_without_filter, s.all().all_keys()) +
                     " of the keys have no filter: a Get of a missing key reads a block in " +
                     cli::NumberText(s.all().unfiltered_runs, 2) + " files without one on average.";
  if (s.is_rocksdb() && for_hits != "false") {
    text += " With optimize_filters_for_hits (in OPTIONS: " + OrUnknown(for_hits) +
            ") RocksDB writes none in the last level.";
  }
  return text;
}

std::string IgnoredText(const Subject& s) {
  return "The running policy (" + s.policy + ") ignores the filters of " +
         cli::CountText(s.all().ignored_files) + " of " + cli::CountText(s.all().files.size()) +
         " files, so these files count as without filters.";
}

std::string WeakHashText(const Subject& s) {
  constexpr double kMostBits = 100;  // the smallest filters have more
  const Group& all = s.all();
  std::string rate;
  if (all.num_keys != 0) {
    const double bits = std::clamp(all.bits_per_key(), kMinBitsPerKey, kMostBits);
    const uint64_t keys = std::max<uint64_t>(1, all.num_keys / all.num_filters);
    rate =
        " (FPR " +
        RateOrDash(engine_filters::FiguresFor(sstable::Engine::kRocksDB, Format::kBloom, keys, bits)
                       .rate) +
        ")";
  }
  return "Bloom filters of RocksDB's format_version 4 and lower have a weak hash, which adjacent "
         "keys show. format_version=5 in BlockBasedTableOptions cures it" +
         rate + " in the same memory, without bloomline. RocksDB 6.6 and later read such files.";
}

std::string AsGoodText(const Subject&) {
  return "The filters are already as good as bloomline's would be: no choice saves a twentieth of "
         "the wasted reads or of the memory.";
}

std::string UnusedText(const Subject&) {
  return "The filters are not used here: the statistics count Gets and no query of a filter. "
         "docs/operating.md has the usual reasons.";
}

std::string RangesText(const Subject& s) {
  return "The filters also have entries for ranges (" + cli::BytesText(s.all().ranges.entry_bytes) +
         "), which the comparison leaves out. To keep them, set range_prefixes with any choice.";
}

// Column families share the cache; those with another cache_index_and_filter_blocks do not count.
std::string CacheText(const Subject& s) {
  const std::string& is_cached = s.inputs.column_family(s.groups).caches_filters;
  uint64_t filter_bytes = 0;
  uint64_t index_bytes = 0;
  for (const FamilyGroups& one : s.inspection.groups) {
    const bool is_alike = s.inputs.column_family(one).caches_filters == is_cached;
    if (one.database != s.groups.database || !is_alike) continue;
    for (const size_t i : one.all.files) {
      filter_bytes += s.inspection.files[i].facts.filter_bytes;
      index_bytes += s.inspection.files[i].facts.index_bytes;
    }
  }
  const std::string text = "Filters (" + cli::BytesText(filter_bytes) + ") and indexes (" +
                           cli::BytesText(index_bytes) + ")";
  const std::string name = "the block cache of " + cli::BytesText(s.cache_bytes);
  if (is_cached == "true") {
    return text + " take " + ShareText(filter_bytes + index_bytes, s.cache_bytes) + " of " + name +
           ". docs/db.md says what helps if that is more than half.";
  }
  const bool is_leveldb = s.inputs.databases[s.groups.database].engine == sstable::Engine::kLevelDB;
  const std::string why =
      is_leveldb ? "LevelDB caches only data blocks."
                 : "cache_index_and_filter_blocks in OPTIONS is " + OrUnknown(is_cached) + ".";
  return text + " are in the memory of the open tables, beside " + name + ": " + why;
}

std::string RibbonText(const Subject&) {
  return "For Ribbon filters, bits_per_key is that of Bloom filters with the same FPR; they need a "
         "third less memory, which the table shows.";
}

std::string ByLevelText(const Subject&) {
  return "bits_per_key is the average of full levels; the table has this database's. Compacting "
         "the whole database merges all levels into one, whose filters then have the fewest bits: "
         "if you often do that, use the same bits in all levels.";
}

// Says how existing files get the new filters, and which programs can use these.
std::string ApplyText(const Subject& s) {
  const std::string rewrite =
      s.is_rocksdb() ? "bloomline-rewrite (docs/operating.md) or a compaction" : "a compaction";
  const std::string text = "Only files that are written from now on get the new filters; " +
                           rewrite + " gives them to the others. ";
  if (!s.chosen.is_stock()) {
    return text + EngineName(s.family.situation.engine) +
           " without bloomline cannot use them and reads a block from every file that could hold "
           "the key, so each program that reads the database needs bloomline.";
  }
  if (s.chosen.by_level) return text + "RocksDB without bloomline uses them, too.";
  return text + "RocksDB itself writes and uses them: this choice needs no library.";
}

std::string BackText(const Subject& s) {
  const std::string policy = s.policy.empty() ? " to the present one" : "=" + s.policy;
  const std::string rewrite = s.chosen.is_stock() ? "." : " and rewrite the files again.";
  return "To go back, set filter_policy" + policy + rewrite;
}

struct Row {
  bool (Subject::*applies)() const;
  RemarkScope scope;
  std::string (*text)(const Subject&);  // called only if it applies
};
// The remarks have the order of the output.
constexpr Row kRows[] = {
    {&Subject::has_unfiltered_keys, RemarkScope::kFamily, UnfilteredText},
    {&Subject::ignores_filters, RemarkScope::kFamily, IgnoredText},
    {&Subject::has_weak_hash, RemarkScope::kFamily, WeakHashText},
    {&Subject::is_as_good, RemarkScope::kFamily, AsGoodText},
    {&Subject::is_unused, RemarkScope::kFamily, UnusedText},
    {&Subject::has_ranges, RemarkScope::kFamily, RangesText},
    {&Subject::is_cache_known, RemarkScope::kAll, CacheText},
    {&Subject::is_ribbon, RemarkScope::kAll, RibbonText},
    {&Subject::is_by_level, RemarkScope::kAll, ByLevelText},
    {&Subject::has_choices, RemarkScope::kAll, ApplyText},
    {&Subject::has_choices, RemarkScope::kFamily, BackText},
};

}  // namespace

std::vector<Remark> Remarks(const FamilyAdvice& family, const Inputs& inputs,
                            const Inspection& inspection, size_t g, const Statistics* statistics,
                            uint64_t cache_bytes) {
  Subject subject{family,     inputs,      inspection, inspection.groups[g],
                  statistics, cache_bytes, {},         {}};
  subject.policy = directory::ShortPolicy(inspection.policies[g]);
  if (subject.has_choices()) subject.chosen = family.advice.Chosen(family.request);
  std::vector<Remark> remarks;
  for (const Row& row : kRows) {
    if ((subject.*row.applies)()) remarks.push_back({row.scope, row.text(subject)});
  }
  return remarks;
}

}  // namespace bloomline::db
