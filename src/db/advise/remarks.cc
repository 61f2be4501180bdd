// The remarks of `bloomline db advise` (advise_output.h).
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/cli/shared/quantity.h"
#include "src/db/advise/advise_output.h"
#include "src/db/directory/options_file.h"
#include "src/db/kept_policy.h"
#include "src/db/report.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::db {
namespace {

using advice::Choice;

// Whether the program reads and queries no filter.
bool IsUnused(const Statistics& statistics) {
  const uint64_t gets =
      statistics.gets_of_missing_keys.value_or(0) + statistics.gets_of_stored_keys.value_or(0);
  return gets != 0 && statistics.queries() + statistics.prefix_checked == 0;
}

std::string OrUnknown(const std::string& option) { return option.empty() ? "unknown" : option; }

std::string UnfilteredText(const Group& all, bool is_rocksdb, const std::string& for_hits) {
  std::string text = ShareText(all.keys_without_filter, all.all_keys()) +
                     " of the keys have no filter: a Get of a missing key reads a block in " +
                     cli::NumberText(all.unfiltered_runs, 2) + " files without one on average.";
  if (is_rocksdb && for_hits == "true") {
    text +=
        " optimize_filters_for_hits is true in OPTIONS: RocksDB writes no filter in the last "
        "level, and queries none there, also after a compaction or bloomline db rewrite.";
  } else if (is_rocksdb && for_hits != "false") {
    text +=
        " With optimize_filters_for_hits (in OPTIONS: unknown) RocksDB writes none in the last "
        "level.";
  }
  return text;
}

// What cures RocksDB's Bloom filters of before format_version 5.
std::string WeakHashText(const Group& all) {
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
  if (is_cached == "true") {
    return text + " take " + ShareText(filter_bytes + index_bytes, cache_bytes) + " of " + name +
           ". bloomline-db-advise(1) says what helps if that is more than half.";
  }
  const bool is_leveldb = inputs.databases[family.database].engine == sstable::Engine::kLevelDB;
  const std::string why =
      is_leveldb ? "LevelDB caches only data blocks."
                 : "cache_index_and_filter_blocks in OPTIONS is " + OrUnknown(is_cached) + ".";
  return text + " are in the memory of the open tables, beside " + name + ": " + why;
}

std::string BuildText(const Choice& chosen, advice::BuildMachine machine) {
  return "Building the filters of this choice takes about " + cli::RateText(chosen.build_share, 2) +
         " of the CPU time of compaction" +
         (chosen.build_share > advice::kMostBuildShare ? ", too much for a first choice" : "") +
         ". These times are of " + advice::Name(machine) +
         ", with the instruction set of this CPU.";
}

// Says how existing files get the new filters, and which programs can use these.
std::string ApplyText(sstable::Engine engine, const std::string& version, const Choice& chosen) {
  if (!chosen.rewrite_policy.empty()) {
    return "RocksDB " + version +
           " cannot load bloomline, which needs 7.0 or later, but uses these filters: bloomline db "
           "rewrite gives them to the files of a closed database. New files get those of the "
           "program's own policy.";
  }
  const std::string text =
      std::string("Only files that are written from now on get the new filters; ") +
      (chosen.filters_last_level ? "once OPTIONS have that option, " : "") +
      "bloomline db rewrite or a compaction gives them to the others. ";
  if (!chosen.is_stock()) {
    return text + EngineName(engine) +
           " without bloomline cannot use them and reads a block from every file that could hold "
           "the key, so each program that reads the database needs bloomline.";
  }
  if (chosen.option_string.find("bloomline") == std::string::npos) {
    return text + "RocksDB itself writes and uses them: this choice needs no library.";
  }
  return text + "RocksDB without bloomline uses them, too.";
}

// What sets the present filters again, as the end of "set filter_policy". RocksDB before 7.0 writes
// into OPTIONS files only the name of its own policies. That name is no option string: RocksDB 6.29
// and 7.8 take it without an error, and then write no filters. So the bits are those of the files.
std::string PresentPolicy(const std::string& policy, const Group& all) {
  const bool has_bits = policy.find(':') != policy.npos || policy.substr(0, 1) == "{";
  if (policy.rfind("rocksdb.", 0) != 0 || has_bits) {
    return policy.empty() ? " to the present one" : "=" + policy;
  }
  const auto most = std::max_element(
      all.kinds.begin(), all.kinds.end(),
      [](const auto& a, const auto& b) { return a.second.bytes < b.second.bytes; });
  if (most == all.kinds.end() || all.num_keys == 0) return " to the present one";
  const auto whole = [](double bits) {
    return cli::NumberText(std::clamp(bits, kMinBitsPerKey, 100.0), 0);
  };
  if (most->first == engine_filters::Kind::kRocksDBRibbon) {
    return "=ribbonfilter:" + whole(filter::BitsOfMemory(Format::kRibbon, all.bits_per_key())) +
           ":-1";
  }
  return "=bloomfilter:" + whole(all.bits_per_key()) + ":false";
}

}  // namespace

std::vector<Remark> Remarks(const FamilyAdvice& family, const Inputs& inputs,
                            const Inspection& inspection, size_t g, const Statistics* statistics,
                            uint64_t cache_bytes) {
  const FamilyGroups& groups = inspection.groups[g];
  const Group& all = groups.all;
  const sstable::Engine engine = family.situation.engine;
  const std::string policy = directory::ShortPolicy(inspection.policies[g]);
  const bool has_choices = !family.advice.choices.empty();
  std::vector<Remark> remarks;
  const auto of_family = [&](std::string text) {
    remarks.push_back({RemarkScope::kFamily, std::move(text)});
  };
  const auto of_all = [&](std::string text) {
    remarks.push_back({RemarkScope::kAll, std::move(text)});
  };
  if (all.keys_without_filter != 0) {
    of_family(UnfilteredText(all, engine == sstable::Engine::kRocksDB,
                             inputs.column_family(groups).filters_for_hits));
  }
  if (all.ignored_files != 0) {
    of_family("The running policy (" + policy + ") ignores the filters of " +
              cli::CountText(all.ignored_files) + " of " + cli::CountText(all.files.size()) +
              " files, so these files count as without filters.");
  }
  const bool helps_as_is = has_choices && !family.advice.choices.front().filters_last_level;
  if (family.situation.skips_last_level && !helps_as_is) {
    of_family(
        "As OPTIONS say, with optimize_filters_for_hits=true, no choice saves a twentieth of the "
        "wasted reads or of the memory: the last level has no filters.");
  }
  if (all.kinds.count(engine_filters::Kind::kRocksDBLegacy) != 0) of_family(WeakHashText(all));
  if (all.kinds.count(engine_filters::Kind::kRocksDBBlockBased) != 0) {
    of_family(
        "Block-based filters have the weak 32-bit hash of old Bloom filters, which adjacent keys "
        "show. bloomfilter:BITS:false gives full filters, whose hash is better from "
        "format_version=5 on.");
  }
  if (all.files_without_filter == 0 && all.ignored_files == 0 && !has_choices) {
    const KeptFilters kept = FiltersToKeep(inputs, inspection, g);
    of_family(
        "The filters are already as good as bloomline's would be: no choice saves a twentieth of "
        "the wasted reads or of the memory." +
        (policy.empty() ? ""
                        : " New files get the filters of the running policy, " + policy + ".") +
        (kept.policy.empty() ? ""
                             : " To keep the present ones, set filter_policy=" + kept.policy +
                                   (kept.needs_format_version ? " and format_version=5." : ".")));
  }
  if (statistics != nullptr && all.filter_bytes != 0 && IsUnused(*statistics)) {
    of_family(
        "The filters are not used here: the statistics count Gets and no query of a filter. "
        "bloomline-db(1) has the usual reasons.");
  }
  if (cache_bytes != 0) of_all(CacheText(inputs, inspection, groups, cache_bytes));
  if (engine == sstable::Engine::kRocksDB && !family.situation.reads_ribbon) {
    of_all(
        "Ribbon filters are left out: neither OPTIONS nor LOG shows RocksDB 6.15 or later, which "
        "reads them.");
  }
  if (!has_choices) return remarks;
  const Choice& chosen = family.advice.Chosen(family.request);
  if (chosen.format == Format::kRibbon) {
    of_all(
        "For Ribbon filters, bits_per_key is that of Bloom filters with the same FPR; they need a "
        "third less memory, which the table shows. RocksDB's own ribbonfilter:N builds them in " +
        cli::NumberText(advice::kRocksDBRibbonBuildNs, 0) + " ns per key.");
  }
  if (chosen.by_level) {
    of_all(
        "bits_per_key is the average of full levels; the table has this database's. Compacting "
        "the whole database merges all levels into one, whose filters then have the fewest bits: "
        "if you often do that, use the same bits in all levels.");
  }
  if (chosen.filters_last_level) {
    of_all(
        "This choice needs optimize_filters_for_hits=false in the options of the column family, "
        "which no preload library sets: without it, " +
        std::string(family.situation.skips_last_level
                        ? "the last level has no filters."
                        : "RocksDB does not query the filter of the oldest file."));
  }
  if (chosen.needs_format_version) {
    of_all(
        "This choice needs format_version=5 in BlockBasedTableOptions, which no preload library "
        "sets: below 5, Bloom filters have a weak hash.");
  }
  if (chosen.format == Format::kBloom && family.situation.takes_whole_bits) {
    of_all(
        "Before RocksDB 6.6, Bloom filters have a weak hash: for keys like the stored ones, more "
        "reads are wasted than the table shows.");
  }
  if (!chosen.environment.empty() && directory::OptionId(policy) == "bloomline") {
    of_family(
        "OPTIONS name bloomline. If the program itself does so, without a preload library, the "
        "environment changes nothing.");
  }
  if (chosen.build_share != 0) of_family(BuildText(chosen, family.situation.cpu.machine));
  of_all(ApplyText(engine, inputs.databases[groups.database].rocksdb_version, chosen));
  if (!chosen.rewrite_policy.empty()) {
    of_family("To go back, start the program on the original folder.");
    return remarks;
  }
  const std::string rewrite = chosen.is_stock() ? "." : " and rewrite the files again.";
  of_family("To go back, set filter_policy" + PresentPolicy(policy, all) + rewrite);
  return remarks;
}

}  // namespace bloomline::db
