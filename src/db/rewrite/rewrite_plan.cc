#include "src/db/rewrite/rewrite_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "src/cli/shared/commands.h"
#include "src/db/directory/manifest.h"
#include "src/db/directory/options_file.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/db/rewrite/rocksdb_manifest.h"
#include "src/db/rewrite/rocksdb_table.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using sstable::Engine;
using support::Refuse;

constexpr char kDigits[] = "0123456789";

using Version = directory::RocksDBVersion;
// The newest version whose databases were rewritten and then read by it.
constexpr Version kNewestTested(9, 10);
constexpr Version kFirstWithBloom(6, 6);

// The newest version that has opened the database: after a downgrade, an older OPTIONS file says
// more than LOG.
Version NewestVersionOf(const DatabaseFolder& folder, const directory::Database& database) {
  Version newest = directory::VersionOf(database.rocksdb_version);
  for (const auto& [name, state] : folder.files) {
    std::string text;
    std::string ignored;
    if (name.rfind("OPTIONS-", 0) != 0 || !ReadWhole(folder.path + "/" + name, &text, &ignored)) {
      continue;
    }
    directory::OptionsFile options;
    directory::ParseOptionsFile(text, &options);
    newest = std::max(newest, directory::VersionOf(options.version["rocksdb_version"]));
  }
  return newest;
}

bool HasTestedVersion(const RewriteOptions& options, const Version& version, std::string* error) {
  if (version <= kNewestTested || options.untested_version) return true;
  return Refuse(error, "RocksDB ", version.first, ".", version.second,
                " has opened the database; allowed: up to ", kNewestTested.first, ".",
                kNewestTested.second,
                ", the newest version that was tested, or any with "
                "--untested-version");
}

// Checks that the named column families exist.
bool HasFamilies(const RewriteOptions& options, const directory::Database& database,
                 std::string* error) {
  std::set<std::string> names;
  std::string list;
  for (const directory::ColumnFamily& family : database.column_families) {
    names.insert(family.name);
    list += (list.empty() ? "" : ", ") + support::Quoted(family.name);
  }
  for (const std::string& name : options.families) {
    if (names.count(name) != 0) continue;
    return Refuse(error, "--column-family is ", support::Quoted(name), "; allowed: ", list);
  }
  return true;
}

bool IsNamed(const RewriteOptions& options, const std::string& family) {
  return std::find(options.families.begin(), options.families.end(), family) !=
         options.families.end();
}

// Why no file of the family is rewritten; empty if files are.
std::string WhyFamilyStays(const RewriteOptions& options, const directory::ColumnFamily& family) {
  const bool is_named = IsNamed(options, family.name);
  if (!options.families.empty() && !is_named) return "not in --column-family";
  const bool has_policy = family.filter_policy != "nullptr";
  return has_policy || is_named ? "" : "their column family has no filter_policy in OPTIONS";
}

uint64_t NewFilterBytes(Engine engine, const PlannedTable& table, const FileFacts& facts) {
  // LevelDB's filters hold the keys of a data block; FiguresFor has no figures for its own.
  const uint64_t filters = std::max<uint64_t>(facts.num_filters + facts.missing_filters, 1);
  const Format format = table.format == Format::kClassic ? Format::kBlocked : table.format;
  const auto figures = engine_filters::FiguresFor(
      engine, format, std::max<uint64_t>(facts.num_keys / filters, 1), table.bits_per_key);
  return static_cast<uint64_t>(figures.bytes_per_key * static_cast<double>(facts.num_keys));
}

// The file's filters are of the planned kind, and as large as planned to one in a hundred.
bool HasPlannedFilter(Engine engine, const FileFacts& facts, const PlannedTable& table) {
  std::string planned_kind = FormatName(table.format);
  if (table.format == Format::kBloom) {
    planned_kind = engine_filters::KindName(engine_filters::Kind::kRocksDBBloom);
  } else if (table.format == Format::kRibbon) {
    planned_kind = engine_filters::KindName(engine_filters::Kind::kRocksDBRibbon);
  }
  const bool is_kind = facts.has_filter() && facts.ranges.files == 0 &&
                       FormatsOf(facts.kinds) == std::set<std::string>{planned_kind};
  const auto planned = static_cast<double>(NewFilterBytes(engine, table, facts));
  const auto now = static_cast<double>(facts.key_bytes());
  return is_kind && std::abs(planned - now) <= planned / 100;
}

class Planner {
 public:
  Planner(const RewriteOptions& options, const Inputs& inputs, const Inspection& inspection,
          RewritePlan* plan)
      : options_(options),
        inputs_(inputs),
        inspection_(inspection),
        engine_(inputs.databases.front().engine),
        plan_(plan) {}

  int Run(const RewritePolicy* policy, std::string* error) {
    for (const FamilyGroups& groups : inspection_.groups) {
      if (groups.all.files.empty()) continue;
      FamilyBits bits;
      const directory::ColumnFamily& family = inputs_.column_family(groups);
      std::string why = WhyFamilyStays(options_, family);
      if (why.empty() && !bits.Choose(policy, inputs_, groups, &why) && policy != nullptr) {
        *error = "column family " + support::Quoted(family.name) + ": " + why;
        return cli::kExitImpossible;
      }
      const size_t before = plan_->tables.size();
      const int exit_code = AddFamily(groups, why.empty() ? &bits : nullptr, why, error);
      if (exit_code != cli::kExitOk) return exit_code;
      if (plan_->tables.size() != before) {
        plan_->filters.push_back(support::Quoted(family.name) + ": " + bits.Text());
      }
    }
    std::sort(plan_->tables.begin(), plan_->tables.end(),
              [&](const PlannedTable& a, const PlannedTable& b) {
                return inputs_.files[a.file].number < inputs_.files[b.file].number;
              });
    return CanReadFilters(error) ? cli::kExitOk : cli::kExitImpossible;
  }

 private:
  // `bits` is null if all files stay.
  int AddFamily(const FamilyGroups& groups, const FamilyBits* bits, const std::string& why_all,
                std::string* error) {
    std::vector<size_t> files = groups.all.files;
    // Both engines search files of level 0 by number if nothing else orders them. New files get
    // higher numbers than all old ones, so an older file must not get one if a newer one stays.
    std::sort(files.begin(), files.end(), [&](size_t a, size_t b) {
      return inputs_.files[a].number > inputs_.files[b].number;
    });
    bool newer_stays = false;
    for (const size_t i : files) {
      const bool is_top = inputs_.files[i].level == 0;
      PlannedTable table;
      std::string why = why_all;
      if (why.empty()) {
        const int exit_code = Examine(i, *bits, &table, &why, error);
        if (exit_code != cli::kExitOk) return exit_code;
      }
      if (why.empty() && is_top && newer_stays) why = "a newer file of level 0 stays";
      if (why.empty()) {
        plan_->tables.push_back(table);
        continue;
      }
      newer_stays = newer_stays || is_top;
      plan_->staying.push_back(i);
      ++plan_->reasons[why];
    }
    return cli::kExitOk;
  }

  // Sets *table, or *why if the file stays as it is.
  int Examine(size_t i, const FamilyBits& bits, PlannedTable* table, std::string* why,
              std::string* error) {
    const InputFile& file = inputs_.files[i];
    const InspectedFile& inspected = inspection_.files[i];
    const FileFacts& facts = inspected.facts;
    *table = {i, bits.format(), bits.BitsOf(file.level, inspected.is_bottommost), false, 0};
    if (facts.ranges.files != 0 && options_.policy.empty())
      *why = "their filters have range entries";
    if (HasPlannedFilter(engine_, facts, *table)) *why = "they have this filter already";
    if (!why->empty()) return cli::kExitOk;
    const std::string& for_hits = inputs_.column_family(file).filters_for_hits;
    if (for_hits == "true" && !facts.has_filter()) {
      *why = "they have no filter, as optimize_filters_for_hits says";
      return cli::kExitOk;
    }
    if (engine_ == Engine::kRocksDB) {
      const TableFacts known = CheckTable(SourceOf(file));
      knows_new_bloom_ = knows_new_bloom_ || known.has_session || known.format_version >= 5;
      if (known.verdict == Verdict::kLeft) *why = WithoutPath(known.reason, file.path);
      if (known.verdict == Verdict::kRefused || known.verdict == Verdict::kFailed) {
        *error = known.reason;
        return known.verdict == Verdict::kRefused ? cli::kExitImpossible : cli::kExitFailure;
      }
    }
    table->new_bytes = file.bytes + NewFilterBytes(engine_, *table, facts) -
                       std::min(file.bytes, facts.filter_bytes);
    return cli::kExitOk;
  }

  TableSource SourceOf(const InputFile& file) const {
    return {file.path, inputs_.column_family(file).comparator, file.bytes};
  }

  static std::string WithoutPath(const std::string& reason, const std::string& path) {
    const std::string start = path + ": ";
    return reason.rfind(start, 0) == 0 ? reason.substr(start.size()) : reason;
  }

  bool HasRibbon() const {
    return std::any_of(inspection_.groups.begin(), inspection_.groups.end(),
                       [](const FamilyGroups& groups) {
                         return groups.all.kinds.count(engine_filters::Kind::kRocksDBRibbon) != 0;
                       });
  }

  // RocksDB before 6.6 would misread its new Bloom filter, and deny stored keys.
  bool CanReadFilters(std::string* error) {
    if (engine_ == Engine::kLevelDB) return true;
    // The version that opened the database last decides. What tables show holds only if it is
    // unknown: a newer RocksDB may have written them before a downgrade, or for ingestion.
    const Version last = directory::VersionOf(inputs_.databases.front().rocksdb_version);
    const bool is_known = last != Version();
    const bool knows_ribbon = is_known ? last >= directory::kFirstWithRibbon : HasRibbon();
    const bool knows_bloom = is_known ? last >= kFirstWithBloom : knows_new_bloom_ || HasRibbon();
    for (PlannedTable& table : plan_->tables) {
      table.is_legacy = table.format == Format::kBloom && !knows_bloom;
      const bool is_ribbon = table.format == Format::kRibbon;
      if (is_ribbon ? knows_ribbon : knows_bloom || table.is_legacy) continue;
      return Refuse(error, "nothing in the database says that its RocksDB is ",
                    is_ribbon ? "6.15 or later, which reads Ribbon filters"
                              : "6.6 or later, which reads these filters",
                    "; allowed: bloomfilter:BITS");
    }
    return true;
  }

  const RewriteOptions& options_;
  const Inputs& inputs_;
  const Inspection& inspection_;
  const Engine engine_;
  RewritePlan* const plan_;
  bool knows_new_bloom_ = false;
};

}  // namespace

uint64_t NumberIn(const std::string& name) {
  for (const std::string before : {"MANIFEST-", "OPTIONS-", "archive/", ""}) {
    if (name.rfind(before, 0) != 0) continue;
    const std::string rest = name.substr(before.size());
    uint64_t number = 0;
    support::ParseUint64(rest.substr(0, rest.find_first_not_of(kDigits)), &number);
    if (number != 0) return number;
  }
  return 0;
}

std::string SixDigits(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(6 - std::min<size_t>(digits.size(), 6), '0') + digits;
}

bool ReadWhole(const std::string& path, std::string* text, std::string* error) {
  constexpr uint64_t kMostBytes = 256 << 20;
  support::InputFile file;
  if (!file.Open(path, error)) return false;
  if (file.size() > kMostBytes) return Refuse(error, path, ": has more than 256 MiB");
  text->resize(static_cast<size_t>(file.size()));
  return file.ReadAt(0, file.size(), text->data(), error);
}

bool FindManifest(const DatabaseFolder& folder, std::string* path, std::string* error) {
  std::string name;
  if (!ReadWhole(folder.path + "/CURRENT", &name, error)) return false;
  *path = folder.path + "/" + name.substr(0, name.find_first_of("\r\n"));
  return true;
}

int MakePlan(const RewriteOptions& options, const DatabaseFolder& folder, const Inputs& inputs,
             const Inspection& inspection, RewritePlan* plan, std::string* error) {
  const directory::Database& database = inputs.databases.front();
  const Version newest = NewestVersionOf(folder, database);
  std::string manifest;
  RewritePolicy policy;
  if (options.policy.empty() && database.engine == Engine::kLevelDB) {
    *error = "--policy is missing; in LevelDB required: classic:BITS, blocked:BITS or compact:BITS";
    return cli::kExitImpossible;
  }
  if (!HasFamilies(options, database, error) || !HasTestedVersion(options, newest, error) ||
      (!options.policy.empty() &&
       !ParseRewritePolicy(options.policy, database.engine, &policy, error))) {
    return cli::kExitImpossible;
  }
  if (!FindManifest(folder, &manifest, error)) return cli::kExitFailure;
  if (database.engine == Engine::kRocksDB) {
    if (!CheckManifest(manifest, &plan->next_number, error)) return cli::kExitImpossible;
  } else {
    directory::LiveFiles live;
    if (!directory::ReadManifest(manifest, &live, error)) return cli::kExitFailure;
    plan->next_number = live.next_file_number();
  }
  for (const auto& [name, state] : folder.files) {
    plan->next_number = std::max(plan->next_number, NumberIn(name) + 1);
  }
  const bool has_policy = !options.policy.empty();
  return Planner(options, inputs, inspection, plan).Run(has_policy ? &policy : nullptr, error);
}

}  // namespace bloomline::db
