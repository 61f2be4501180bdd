// The remarks of `bloomline db advise` (advise_output.h).
#include <string>
#include <vector>

#include "src/cli/shared/quantity.h"
#include "src/db/advise/advise_output.h"
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

std::string CacheText(const BlockCache& cache) {
  const std::string text = "The filters (" + cli::BytesText(cache.filter_bytes) +
                           ") and indexes (" + cli::BytesText(cache.index_bytes) + ")";
  const std::string name = "the block cache of " + cli::BytesText(cache.bytes);
  if (cache.caches_filters != "true") {
    return text + " are in the memory of the open tables, beside " + name +
           ": cache_index_and_filter_blocks in OPTIONS is " + OrUnknown(cache.caches_filters) + ".";
  }
  return text + " take " + ShareText(cache.filter_bytes + cache.index_bytes, cache.bytes) + " of " +
         name + ". docs/db.md says what helps if that is more than half.";
}

// How new filters come to the files, who can use them, and how to go back.
std::string ApplyText(const std::string& engine, bool is_stock, const std::string& policy) {
  constexpr size_t kShort = 40;
  const bool is_shown = !policy.empty() && policy.size() <= kShort;
  const std::string before = policy.empty() ? "the program's policy of now again"
                             : is_shown     ? policy
                                            : "the policy of now again (`db inspect` shows it)";
  const std::string rewrite = engine == "RocksDB"
                                  ? "bloomline-rewrite (docs/operating.md) or a compaction"
                                  : "a compaction";
  return "Only files that are written from now on get the new filters; " + rewrite +
         " gives them to the others. " +
         (is_stock ? "RocksDB without bloomline uses them, too. To go back, set " + before + "."
                   : engine +
                         " without bloomline cannot use them and reads a block from every "
                         "file that could hold the key, so each program that reads the "
                         "database needs bloomline. To go back, set " +
                         before + " and rewrite the files again.");
}

}  // namespace

std::vector<std::string> Remarks(const FamilyAdvice& family, const Group& all,
                                 const directory::ColumnFamily& options, const std::string& policy,
                                 const Statistics* statistics, const BlockCache* cache) {
  const std::vector<Choice>& choices = family.advice.choices;
  const std::string engine = EngineName(family.situation.engine);
  const uint64_t without = all.keys_without_filter;
  const Choice chosen = choices.empty() ? Choice() : family.advice.Chosen(family.request);
  const struct {
    bool applies;
    std::string text;
  } kRemarks[] = {
      {without != 0,
       ShareText(without, all.all_keys()) +
           " of the keys have no filter: a Get of a missing key reads a block from each of their "
           "runs that it comes to." +
           (engine == "RocksDB" && options.filters_for_hits != "false"
                ? " With optimize_filters_for_hits (in OPTIONS: " +
                      OrUnknown(options.filters_for_hits) +
                      ") RocksDB writes none in the last level."
                : "")},
      {all.ignored_files != 0, "The running policy (" + policy + ") ignores the filters of " +
                                   cli::CountText(all.ignored_files) + " of " +
                                   cli::CountText(all.files.size()) +
                                   " files, so these files count as without filters."},
      {all.files_without_filter == 0 && all.ignored_files == 0 && choices.empty(),
       "The filters are already as good as bloomline's would be: no choice saves a twentieth of "
       "the wasted reads or of the memory."},
      {statistics != nullptr && all.filter_bytes != 0 && IsUnused(*statistics),
       "The filters are not used here: the statistics count Gets and no query of a "
       "filter. docs/operating.md has the usual reasons."},
      {all.ranges.files != 0,
       "The filters also have entries for ranges (" + cli::BytesText(all.ranges.entry_bytes) +
           "), which the comparison leaves out. To keep them, set range_prefixes with any choice."},
      {cache != nullptr, cache == nullptr ? "" : CacheText(*cache)},
      {chosen.by_level,
       "bits_per_key is the average of full levels; the table has this database's. Compacting the "
       "whole database merges all levels into one, whose filters then have the fewest bits: if you "
       "often do that, use the same bits in all levels."},
      {!choices.empty(), ApplyText(engine, chosen.is_stock(), policy)},
  };
  std::vector<std::string> texts;
  for (const auto& remark : kRemarks) {
    if (remark.applies) texts.push_back(remark.text);
  }
  return texts;
}

}  // namespace bloomline::db
