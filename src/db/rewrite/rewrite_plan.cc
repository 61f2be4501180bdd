#include "src/db/rewrite/rewrite_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "src/db/engine_filters/engine_filter.h"
#include "src/db/model/advice.h"
#include "src/db/rewrite/new_manifest.h"
#include "src/db/survey/report.h"
#include "src/db/survey/situation.h"
#include "src/filter/options/policy_id.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"
#include "src/tool/quantity.h"

namespace bloomline::db {
namespace {

using support::Refuse;
using tables::Engine;

using Version = tree::RocksDBVersion;
// The newest version whose databases were rewritten and then read by it.
constexpr Version kNewestTested(11, 8);
constexpr Version kFirstWithBloom(6, 6);

bool HasTestedVersion(const RewriteArguments& options, const Version& version, std::string* error) {
  if (version <= kNewestTested || options.untested_version) return true;
  return Refuse(error, "RocksDB ", version.first, ".", version.second,
                " has opened the database; allowed: up to ", kNewestTested.first, ".",
                kNewestTested.second,
                ", the newest version that was tested, or any with --untested-version");
}

// Checks that the named column families exist.
bool HasFamilies(const RewriteArguments& options, const tree::Database& database,
                 std::string* error) {
  std::set<std::string> names;
  std::string list;
  for (const tree::ColumnFamily& family : database.column_families) {
    names.insert(family.name);
    list += (list.empty() ? "" : ", ") + support::Quoted(family.name);
  }
  for (const std::string& name : options.families) {
    if (names.count(name) != 0) continue;
    return Refuse(error, "--column-family is ", support::Quoted(name), "; allowed: ", list);
  }
  return true;
}

// Whether what the family should have is unknown: OPTIONS name no policy, as ldb leaves them.
bool LacksPolicy(const RewriteArguments& options, const tree::ColumnFamily& family) {
  return !options.policy && options.families.empty() && family.filter_policy == "nullptr";
}

// Why no file of the family is rewritten; empty if files are.
std::string WhyFamilyStays(const RewriteArguments& options, const tree::ColumnFamily& family) {
  if (LacksPolicy(options, family)) {
    return support::StrCat("column family ", support::Quoted(family.name),
                           " has no filter_policy in OPTIONS; --policy gives it filters");
  }
  const std::vector<std::string>& named = options.families;
  const bool is_named = std::find(named.begin(), named.end(), family.name) != named.end();
  return named.empty() || is_named ? "" : "not in --column-family";
}

// The figures of the new filter. LevelDB's filters hold the keys of a data block.
engine_filters::FilterFigures NewFigures(Engine engine, const TableRewrite& rewrite,
                                         const FileFacts& facts) {
  if (rewrite.without_filter) return {};
  const uint64_t filters = std::max<uint64_t>(facts.num_filters + facts.missing_filters, 1);
  const bool is_classic = rewrite.format == Format::kClassic;  // FiguresFor has none for it
  engine_filters::FilterFigures figures = engine_filters::FiguresFor(
      engine, is_classic ? Format::kBlocked : rewrite.format,
      std::max<uint64_t>(facts.num_keys / filters, 1), rewrite.bits_per_key);
  if (is_classic) figures.rate = std::nan("");  // a weak hash: it depends on the keys
  return figures;
}

uint64_t NewFilterBytes(Engine engine, const TableRewrite& rewrite, const FileFacts& facts) {
  return static_cast<uint64_t>(NewFigures(engine, rewrite, facts).bytes_per_key *
                               static_cast<double>(facts.num_keys));
}

// The file's filters are of the planned kind, and as large as planned to one in a hundred.
bool HasPlannedFilter(Engine engine, const FileFacts& facts, const TableRewrite& rewrite) {
  const bool is_kind = facts.has_filter() && facts.entry_bytes == 0 &&
                       FormatsOf(facts) == std::set<std::string>{model::KindName(rewrite.format)};
  const auto planned = static_cast<double>(NewFilterBytes(engine, rewrite, facts));
  const auto now = static_cast<double>(facts.key_bytes());
  return is_kind && std::abs(planned - now) <= planned / 100;
}

// The number in the names of a database's files: "000012.sst", "MANIFEST-000012"; none: 0.
uint64_t NumberIn(const std::string& name) {
  const std::string behind = name.substr(name.find_last_of("-/") + 1);
  uint64_t number = 0;
  support::ParseUint64(behind.substr(0, behind.find_first_not_of("0123456789")), &number);
  return number;
}

bool IsQueried(const tree::ColumnFamily& family, const FamilyGroups& groups, int level) {
  return family.filters_for_hits != "true" || level == 0 || level != groups.levels.back().level;
}

class Planner {
 public:
  Planner(const RewriteArguments& options, const Inputs& inputs, const Inspection& inspection,
          RewritePlan* plan)
      : options_(options),
        inputs_(inputs),
        inspection_(inspection),
        engine_(inputs.databases.front().engine),
        plan_(plan) {}

  Outcome Run(const RewritePolicy* policy, std::string* error) {
    for (const FamilyGroups& groups : inspection_.groups) {
      RewrittenWaste& waste = plan_->waste.emplace_back();
      if (groups.all.files.empty()) continue;
      FamilyBits bits;
      const tree::ColumnFamily& family = inputs_.column_family(groups);
      std::string why = WhyFamilyStays(options_, family);
      plan_->lacks_policies = plan_->lacks_policies || LacksPolicy(options_, family);
      if (why.empty() && !bits.Choose(policy, inputs_, groups, &why) && policy != nullptr) {
        *error = "column family " + support::Quoted(family.name) + ": " + why;
        return Outcome::kRefused;
      }
      const size_t before = plan_->tables.size();
      const Outcome outcome = AddFamily(groups, bits, why, &waste, error);
      if (outcome != Outcome::kDone) return outcome;
      if (policy == nullptr && !WastesNoMore(family, waste, error)) return Outcome::kRefused;
      if (plan_->tables.size() != before) {
        const bool is_leveldb = engine_ == Engine::kLevelDB;  // which has no column families
        plan_->filters.push_back("filters" +
                                 (is_leveldb ? "" : " of " + support::Quoted(family.name)) + ": " +
                                 bits.Text());
        if (bits.missing_bytes() != 0) {
          plan_->filters.push_back("files without filters are also given filters: " +
                                   FilesText(groups.all.files_without_filter) + "; memory: about " +
                                   tool::BytesText(bits.missing_bytes()) + " more");
        }
        if (engine_ == Engine::kRocksDB && !bits.without_filter()) {
          const std::string text = bits.OptionString();
          const bool is_bloom =
              filter::ParsePolicyId(text).policy_class == filter::PolicyClass::kBloom;
          plan_->kept.push_back({text, is_bloom && WritesOldBloom(family)});
        }
      }
    }
    std::sort(plan_->tables.begin(), plan_->tables.end(),
              [&](const PlannedTable& a, const PlannedTable& b) {
                return inputs_.files[a.file].number < inputs_.files[b.file].number;
              });
    return CanReadFilters(error) ? Outcome::kDone : Outcome::kRefused;
  }

 private:
  // `why_all`: why all files stay; empty: some may not.
  Outcome AddFamily(const FamilyGroups& groups, const FamilyBits& bits, const std::string& why_all,
                    RewrittenWaste* waste, std::string* error) {
    std::vector<size_t> files = groups.all.files;
    // Both engines search files of level 0 by number if nothing else orders them. New files get
    // higher numbers than all old ones, so if an older file is given one, newer ones need one, too.
    std::sort(files.begin(), files.end(), [&](size_t a, size_t b) {
      return inputs_.files[a].number > inputs_.files[b].number;
    });
    std::vector<PlannedTable> newer;  // files of level 0 that stay
    std::map<size_t, std::string> why_stay;
    for (const size_t i : files) {
      const bool is_top = inputs_.files[i].level == 0;
      PlannedTable table;
      std::string why = why_all;
      if (why.empty()) {
        const Outcome outcome = Examine(i, bits, &table, &why);
        if (outcome == Outcome::kRefused || outcome == Outcome::kFailed) {
          *error = why;
          return outcome;
        }
      }
      if (!why.empty()) {
        why_stay[i] = why;
        if (is_top) newer.push_back(table);
        continue;
      }
      plan_->tables.push_back(table);
      const InspectedFile& file = inspection_.files[i];
      if (IsQueried(inputs_.column_family(groups), groups, inputs_.files[i].level)) {
        // A rate that is not known counts as in advise: the filter matches every key.
        waste->before += file.coverage * (std::isnan(file.rate()) ? 1 : file.rate());
        waste->after += file.coverage * table.false_positive_rate;
      }
      for (; is_top && !newer.empty(); newer.pop_back()) {
        why_stay.erase(newer.back().file);
        const Outcome outcome = AddAsItIs(newer.back(), error);
        if (outcome != Outcome::kDone) return outcome;
      }
    }
    for (const auto& [file, why] : why_stay) {
      plan_->staying.push_back(file);
      ++plan_->reasons[why];
    }
    return Outcome::kDone;
  }

  // Plans a file that needs no new filter: it only needs a higher number.
  Outcome AddAsItIs(PlannedTable table, std::string* error) {
    const FileFacts& facts = inspection_.files[table.file].facts;
    TableRewrite& rewrite = table.rewrite;
    rewrite.without_filter = rewrite.without_filter || !HasPlannedFilter(engine_, facts, rewrite);
    std::string why;
    const Outcome outcome = Check(&table, &why);
    if (outcome == Outcome::kDone || outcome == Outcome::kLeft) {
      plan_->tables.push_back(table);
      return Outcome::kDone;
    }
    *error = why;
    return outcome;
  }

  // Sets *table, or *why if the file stays as it is or, unless the outcome is kLeft, cannot be
  // used.
  Outcome Examine(size_t i, const FamilyBits& bits, PlannedTable* table, std::string* why) {
    const SurveyedFile& file = inputs_.files[i];
    const FileFacts& facts = inspection_.files[i].facts;
    table->file = i;
    table->rewrite.format = bits.format();
    table->rewrite.bits_per_key = bits.BitsOf(file.level);
    table->rewrite.without_filter = bits.without_filter();
    if (table->rewrite.without_filter) {
      if (!facts.has_filter()) *why = "they already have no filter";
    } else if (HasPlannedFilter(engine_, facts, table->rewrite)) {
      *why = "they already have this filter";
    } else if (inputs_.column_family(file).filters_for_hits == "true" && !facts.has_filter()) {
      *why = "they have no filter, as optimize_filters_for_hits says";
    }
    return why->empty() ? Check(table, why) : Outcome::kLeft;
  }

  // Sets what the new table will be. Returns what CheckTable does, with *why.
  Outcome Check(PlannedTable* table, std::string* why) {
    const SurveyedFile& file = inputs_.files[table->file];
    const FileFacts& facts = inspection_.files[table->file].facts;
    const uint64_t new_bytes = NewFilterBytes(engine_, table->rewrite, facts);
    table->new_bytes = file.bytes + new_bytes - std::min(file.bytes, facts.filter_bytes);
    table->filter_bytes = new_bytes;
    table->false_positive_rate = NewFigures(engine_, table->rewrite, facts).rate;
    bool knows_new_bloom = false;
    const Outcome outcome = CheckTable(SourceOf(inputs_, file), &knows_new_bloom, why);
    knows_new_bloom_ = knows_new_bloom_ || knows_new_bloom;
    if (outcome == Outcome::kLeft) *why = why->substr(file.path.size() + 2);  // "PATH: "
    return outcome;
  }

  // RocksDB before 6.6 would misread its new Bloom filter, and deny stored keys.
  bool CanReadFilters(std::string* error) {
    if (engine_ == Engine::kLevelDB) return true;
    // The version that opened the database last decides. What tables show holds only if it is
    // unknown: a newer RocksDB may have written them before a downgrade, or for ingestion.
    const Version last = tree::VersionOf(inputs_.databases.front().rocksdb_version);
    const bool knows_ribbon =
        std::any_of(inspection_.groups.begin(), inspection_.groups.end(),
                    [&](const FamilyGroups& groups) { return ReadsRibbon(inputs_, groups); });
    const bool knows_bloom =
        last != Version() ? last >= kFirstWithBloom : knows_new_bloom_ || knows_ribbon;
    for (PlannedTable& table : plan_->tables) {
      if (table.rewrite.without_filter) continue;
      const bool is_ribbon = table.rewrite.format == Format::kRibbon;
      table.rewrite.is_legacy = filter::HasLegacy(table.rewrite.format) && !knows_bloom;
      if (is_ribbon ? knows_ribbon : knows_bloom || table.rewrite.is_legacy) continue;
      return Refuse(error, "nothing in the database says that its RocksDB is ",
                    is_ribbon ? "6.15 or later, which reads Ribbon filters"
                              : "6.6 or later, which reads these filters",
                    "; allowed: bloomfilter:BITS");
    }
    return true;
  }

  const RewriteArguments& options_;
  const Inputs& inputs_;
  const Inspection& inspection_;
  const Engine engine_;
  RewritePlan* const plan_;
  bool knows_new_bloom_ = false;
};

}  // namespace

double QueriedWaste(const tree::ColumnFamily& family, const FamilyGroups& groups) {
  double wasted = 0;
  for (const Group& level : groups.levels) {
    if (IsQueried(family, groups, level.level)) wasted += level.wasted_reads;
  }
  return wasted;
}

bool WastesNoMore(const tree::ColumnFamily& family, const RewrittenWaste& waste,
                  std::string* error) {
  if (waste.is_no_more()) return true;
  return Refuse(error, "column family ", support::Quoted(family.name),
                ": in the files to rewrite, the filters that advise chooses would waste ",
                tool::RateText(waste.after, 3), " of reads, more than the present ones (",
                tool::RateText(waste.before, 3), "); name others with --policy");
}

TableSource SourceOf(const Inputs& inputs, const SurveyedFile& file) {
  return {file.path,  inputs.column_family(file).comparator,
          file.bytes, inputs.databases[file.database].engine,
          true,       inputs.table_memory};
}

Outcome MakePlan(const RewriteArguments& options, const DatabaseFolder& folder,
                 Version newest_version, const Inputs& inputs, const Inspection& inspection,
                 RewritePlan* plan, std::string* error) {
  const tree::Database& database = inputs.databases.front();
  // After a downgrade, an older OPTIONS file says more than LOG.
  newest_version = std::max(newest_version, tree::VersionOf(database.rocksdb_version));
  RewritePolicy policy;
  if (!options.policy && database.engine == Engine::kLevelDB) {
    *error =
        "--policy is missing; in LevelDB required: classic:BITS, blocked:BITS, compact:BITS or "
        "none";
    return Outcome::kRefused;
  }
  if (!HasFamilies(options, database, error) || !HasTestedVersion(options, newest_version, error) ||
      (options.policy && !ParseRewritePolicy(*options.policy, database.engine, &policy, error)) ||
      !CheckManifest(database.manifest, &plan->next_number, error)) {
    return Outcome::kRefused;
  }
  if (database.is_goleveldb && !policy.without_filter) {
    Refuse(error, database.path, ": ", kGoLevelDBCure, "; allowed: --policy none");
    return Outcome::kRefused;
  }
  for (const auto& [name, status] : folder.files) {
    plan->next_number = std::max(plan->next_number, NumberIn(name) + 1);
  }
  return Planner(options, inputs, inspection, plan).Run(options.policy ? &policy : nullptr, error);
}

}  // namespace bloomline::db
