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

// The program reads, and queries no filter.
bool IsUnused(const Statistics& statistics) {
  const uint64_t gets =
      statistics.gets_of_missing_keys.value_or(0) + statistics.gets_of_stored_keys.value_or(0);
  return gets != 0 && statistics.queries() + statistics.prefix_checked == 0;
}

std::string OrUnknown(const std::string& option) { return option.empty() ? "unknown" : option; }

// Column families share the cache; those with another cache_index_and_filter_blocks do not count.
std::string CacheText(const Inputs& inputs, const Inspection& inspection,
                      const FamilyGroups& family, uint64_t cache_bytes) {
  const std::string& is_cached = inputs.column_family(family).caches_filters;
  uint64_t filter_bytes = 0;
  uint64_t index_bytes = 0;
  for (const FamilyGroups& one : inspection.groups) {
    const bool is_alike = inputs.column_family(one).caches_filters == is_cached;
    if (one.database != family.database || !is_alike) continue;
    for (const size_t i : one.all.files) {
      filter_bytes += inspection.files[i].facts.filter_bytes;
      index_bytes += inspection.files[i].facts.index_bytes;
    }
  }
  const std::string text = "Filters (" + cli::BytesText(filter_bytes) + ") and indexes (" +
                           cli::BytesText(index_bytes) + ")";
  const std::string name = "the block cache of " + cli::BytesText(cache_bytes);
  if (is_cached != "true") {
    const bool is_leveldb = inputs.databases[family.database].engine == sstable::Engine::kLevelDB;
    return text + " are in the memory of the open tables, beside " + name + ": " +
           (is_leveldb
                ? "LevelDB caches only data blocks."
                : "cache_index_and_filter_blocks in OPTIONS is " + OrUnknown(is_cached) + ".");
  }
  return text + " take " + ShareText(filter_bytes + index_bytes, cache_bytes) + " of " + name +
         ". docs/db.md says what helps if that is more than half.";
}

// What cures RocksDB's Bloom filters before format_version 5; empty if there are none.
std::string CureOfWeakHash(const Group& all) {
  using engine_filters::Kind;
  if (all.kinds.count(Kind::kRocksDBLegacy) == 0) return "";
  constexpr double kMostBits = 100;  // the smallest filters have more
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

// How new filters come to the files, and who can use them.
std::string ApplyText(const std::string& engine, const Choice& chosen) {
  const std::string rewrite = engine == "RocksDB"
                                  ? "bloomline-rewrite (docs/operating.md) or a compaction"
                                  : "a compaction";
  return "Only files that are written from now on get the new filters; " + rewrite +
         " gives them to the others. " +
         (!chosen.is_stock() ? engine +
                                   " without bloomline cannot use them and reads a block from "
                                   "every file that could hold the key, so each program that reads "
                                   "the database needs bloomline."
          : chosen.by_level ? "RocksDB without bloomline uses them, too."
                            : "RocksDB itself writes and uses them: this choice needs no library.");
}

}  // namespace

std::vector<Remark> Remarks(const FamilyAdvice& family, const Inputs& inputs,
                            const Inspection& inspection, size_t g, const Statistics* statistics,
                            uint64_t cache_bytes) {
  const Group& all = inspection.groups[g].all;
  const directory::ColumnFamily& options = inputs.column_family(inspection.groups[g]);
  const std::string policy = directory::ShortPolicy(inspection.policies[g]);
  const std::vector<Choice>& choices = family.advice.choices;
  const std::string engine = EngineName(family.situation.engine);
  const uint64_t without = all.keys_without_filter;
  const Choice chosen = choices.empty() ? Choice() : family.advice.Chosen(family.request);
  std::vector<Remark> remarks;
  const auto add = [&](bool applies, bool of_family, const std::string& text) {
    if (applies) remarks.push_back({of_family, text});
  };
  add(without != 0, true,
      ShareText(without, all.all_keys()) +
          " of the keys have no filter: a Get of a missing key reads a block in " +
          cli::NumberText(all.unfiltered_runs, 2) + " files without one on average." +
          (engine == "RocksDB" && options.filters_for_hits != "false"
               ? " With optimize_filters_for_hits (in OPTIONS: " +
                     OrUnknown(options.filters_for_hits) +
                     ") RocksDB writes none in the last level."
               : ""));
  add(all.ignored_files != 0, true,
      "The running policy (" + policy + ") ignores the filters of " +
          cli::CountText(all.ignored_files) + " of " + cli::CountText(all.files.size()) +
          " files, so these files count as without filters.");
  const std::string cure = CureOfWeakHash(all);
  add(!cure.empty(), true, cure);
  add(all.files_without_filter == 0 && all.ignored_files == 0 && choices.empty(), true,
      "The filters are already as good as bloomline's would be: no choice saves a twentieth of the "
      "wasted reads or of the memory.");
  add(statistics != nullptr && all.filter_bytes != 0 && IsUnused(*statistics), true,
      "The filters are not used here: the statistics count Gets and no query of a filter. "
      "docs/operating.md has the usual reasons.");
  add(all.ranges.files != 0, true,
      "The filters also have entries for ranges (" + cli::BytesText(all.ranges.entry_bytes) +
          "), which the comparison leaves out. To keep them, set range_prefixes with any choice.");
  add(cache_bytes != 0, false, CacheText(inputs, inspection, inspection.groups[g], cache_bytes));
  add(chosen.format == Format::kRibbon, false,
      "For Ribbon filters, bits_per_key is that of Bloom filters with the same FPR; they need a "
      "third less memory, which the table shows.");
  add(chosen.by_level, false,
      "bits_per_key is the average of full levels; the table has this database's. Compacting the "
      "whole database merges all levels into one, whose filters then have the fewest bits: if you "
      "often do that, use the same bits in all levels.");
  add(!choices.empty(), false, ApplyText(engine, chosen));
  add(!choices.empty(), true,
      "To go back, set filter_policy" + (policy.empty() ? " to the present one" : "=" + policy) +
          (chosen.is_stock() ? "." : " and rewrite the files again."));
  return remarks;
}

}  // namespace bloomline::db
