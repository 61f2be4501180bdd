#include "src/db/survey/inspection.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "bloomline/filter_options.h"
#include "src/db/survey/former_compact.h"
#include "src/db/tables/comparator.h"
#include "src/db/tree/options_file.h"
#include "src/filter/options/policy_id.h"
#include "src/support/number_text.h"
#include "src/support/option_text.h"
#include "src/support/quoted.h"
#include "src/tool/commands.h"

namespace bloomline::db {
namespace {

// ---- The running policy.

// Refuses a known name with an invalid number of bits: RocksDB then uses no filters and reports no
// error. Other names can be a program's own; stderr has a warning if one resembles a known name.
std::optional<std::string> ParsePolicy(const std::string& text, std::string* error) {
  *error = support::GivenTwice(text);
  if (!error->empty()) return std::nullopt;
  if (const std::string compact = WhyNoCompact(text); !compact.empty()) {
    *error = support::Quoted(text) + ": " + compact;
    return std::nullopt;
  }
  const std::string id_text = tree::OptionId(text);
  const filter::PolicyId id = filter::ParsePolicyId(id_text);
  double bits = 0;
  const bool is_too_many = id.policy_class != filter::PolicyClass::kOther && id.bits &&
                           support::ParseDouble(*id.bits, &bits) && bits > kMaxBitsPerKey;
  if (!id_text.empty() && id.is_valid && !is_too_many) {
    const std::string meant = filter::MeantPolicy(text);
    if (!meant.empty()) {
      std::fprintf(stderr, "bloomline: --policy names a policy of the program's own: %s%s\n",
                   support::Quoted(id.name).c_str(), meant.c_str());
    }
    return text;
  }
  *error = support::Quoted(text) +
           "; allowed: bloomfilter:BITS, ribbonfilter:BITS, bloomline:BITS, {id=bloomline;...}, "
           "nullptr, or the name of another policy (BITS: up to " +
           support::StrCat(kMaxBitsPerKey, ")");
  return std::nullopt;
}

// Why the policy would not use the filters of a file; empty if it would, or if that is unknown.
//
// Both engines look a filter up by name, and silently ignore all others: LevelDB by
// FilterPolicy::Name(), RocksDB by CompatibilityName(), which its own policies and bloomline's
// share.
std::string WhyIgnored(const std::string& policy, tree::RocksDBVersion version,
                       const FileFacts& facts) {
  constexpr tree::RocksDBVersion kFirstWithoutBlockBased(7, 4);
  if (facts.is_block_based() && version >= kFirstWithoutBlockBased) {
    return "RocksDB 7.4 and later ignore block-based filters";
  }
  if (policy.empty() || !facts.has_filter()) return "";
  const bool is_rocksdb = facts.engine == tables::Engine::kRocksDB;
  const std::string id = is_rocksdb ? tree::OptionId(policy) : policy;
  const filter::PolicyClass policy_class = filter::ParsePolicyId(id).policy_class;
  const bool is_bloomline = policy_class == filter::PolicyClass::kBloomline;
  const bool is_none = id == "nullptr";
  const bool is_rocksdbs = policy_class == filter::PolicyClass::kBloom ||
                           policy_class == filter::PolicyClass::kRibbon ||
                           id.rfind("rocksdb.", 0) == 0;
  const bool is_own = is_rocksdb ? is_rocksdbs : id == engine_filters::kLevelDBName;
  if (is_rocksdb && !is_bloomline && !is_none && !is_own) return "";  // the user's own policy
  std::string_view name = is_rocksdb ? engine_filters::kRocksDBName : id;
  if (!is_rocksdb && is_bloomline) name = engine_filters::kLevelDBName;
  if (is_none || facts.filter_name != name) {
    return "the running policy does not look for filters named '" + facts.filter_name + "'";
  }
  for (const auto& [layout, count] : facts.layouts) {
    if (is_own && engine_filters::FormatOf(layout)) {
      return "the running policy does not understand these filters; to it, they match every key";
    }
  }
  return "";
}

// bloomline's own layouts have the name of their format.
std::string ShortName(engine_filters::FilterLayout layout) {
  if (const auto format = engine_filters::FormatOf(layout)) return FormatName(*format);
  constexpr std::string_view kOwn = "bloomline ";
  const std::string name = engine_filters::LayoutName(layout);
  return name.substr(0, kOwn.size()) == kOwn ? name.substr(kOwn.size()) : name;
}

// ---- The files of a level, a column family or a database together.

// The user keys of a file, in the order of bytes, and the number of its keys.
struct KeyRange {
  std::string_view low;
  std::string_view high;
  double num_keys = 0;
  double begin = 0;  // low and high as fractions of 2^64: SetPositions
  double end = 0;

  // The fraction of this file's keys in another file's range. A single key, or keys that 8 bytes do
  // not distinguish, have no width.
  double PartIn(const KeyRange& other) const {
    if (begin == end) return other.begin <= begin && begin <= other.end ? 1 : 0;
    return std::max(0.0, std::min(end, other.end) - std::max(begin, other.begin)) / (end - begin);
  }
};

size_t CommonPrefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                             a.begin());
}

// The 8 bytes after `skip` as a fraction of 2^64; a shorter key is filled up with zeros.
double Position(std::string_view key, size_t skip) {
  double position = 0;
  double unit = 1.0 / 256;
  for (size_t i = skip; i < key.size() && i < skip + 8; ++i, unit /= 256) {
    position += unit * static_cast<unsigned char>(key[i]);
  }
  return position;
}

// Sets positions by the bytes after those that all keys share.
void SetPositions(std::vector<KeyRange>* ranges) {
  if (ranges->empty()) return;
  const std::string_view first = ranges->front().low;
  size_t skip = first.size();
  for (const KeyRange& range : *ranges) {
    skip = std::min({skip, CommonPrefix(first, range.low), CommonPrefix(first, range.high)});
  }
  for (KeyRange& range : *ranges) {
    range.begin = Position(range.low, skip);
    range.end = Position(range.high, skip);
  }
}

// Returns the fraction of all files' keys that lie in this file's range: the fraction of Gets that
// query the file, if missing keys are distributed like stored ones. We assume evenly spaced keys
// between the ends of a range. Works for both bytewise orders. Time: n, up to 4,096.
double Coverage(const KeyRange& range, const std::vector<KeyRange>& ranges) {
  constexpr size_t kMost = 4096;
  const size_t step = (ranges.size() + kMost - 1) / kMost;
  double inside = 0;
  double all = 0;
  for (size_t i = 0; i < ranges.size(); i += step) {
    inside += ranges[i].num_keys * ranges[i].PartIn(range);
    all += ranges[i].num_keys;
  }
  return all > 0 ? inside / all : 1;
}

// Sets the coverage of a column family's files. Files of level 0 overlap, and a Get queries each
// whose range has the key. Files of other levels do not overlap. One sum fits both cases. If the
// order is unknown, or files were named on their own, each file of level 0 is a run, and each other
// level is one run.
void FindCoverage(const Inputs& inputs, const std::vector<size_t>& members,
                  std::vector<InspectedFile>* files) {
  std::vector<KeyRange> ranges;
  std::map<int, double> keys_of_level;
  bool known = true;
  for (const size_t i : members) {
    const SurveyedFile& file = inputs.files[i];
    const tables::KeyOrder order = tables::OrderOf((*files)[i].facts.properties);
    const auto keys = static_cast<double>((*files)[i].facts.num_keys);
    const std::pair<std::string_view, std::string_view> ends =
        std::minmax<std::string_view>(tables::WithoutTimestamp(order, file.smallest_key),
                                      tables::WithoutTimestamp(order, file.largest_key));
    ranges.push_back({ends.first, ends.second, keys});
    known = known && order.is_known && file.level >= 0;
    keys_of_level[file.level] += keys;
  }
  if (known) {
    SetPositions(&ranges);
    for (size_t m = 0; m < members.size(); ++m) {
      (*files)[members[m]].coverage = Coverage(ranges[m], ranges);
    }
    return;
  }
  for (size_t m = 0; m < members.size(); ++m) {
    const int level = inputs.files[members[m]].level;
    const double keys = keys_of_level[level];
    const bool has_share = level != 0 && keys > 0;
    (*files)[members[m]].coverage = has_share ? ranges[m].num_keys / keys : 1;
  }
}

// Groups the files that are done by database and column family, and sets their coverage.
// Files that were named on their own have level -1, and their rates are averaged over keys.
std::vector<FamilyGroups> GroupFiles(const Inputs& inputs, std::vector<InspectedFile>* files) {
  std::map<std::pair<size_t, int>, std::vector<size_t>> families;  // by database, column family
  std::map<std::pair<size_t, int>, uint64_t> unread_files;
  // A database without files is shown, too.
  for (size_t d = 0; d < inputs.databases.size(); ++d) {
    if (!inputs.databases[d].path.empty()) families[{d, 0}];
  }
  for (size_t i = 0; i < inputs.files.size(); ++i) {
    const SurveyedFile& file = inputs.files[i];
    const std::pair<size_t, int> key(file.database, file.column_family);
    if (file.state == FileState::kDone) families[key].push_back(i);
    if (file.state == FileState::kFailed) ++unread_files[key];
  }
  std::vector<FamilyGroups> groups;
  for (const auto& [key, members] : families) {
    FindCoverage(inputs, members, files);
    FamilyGroups& family = groups.emplace_back();
    std::tie(family.database, family.column_family) = key;
    family.unread_files = unread_files[key];
    std::map<int, Group> levels;
    for (const size_t i : members) {
      const SurveyedFile& file = inputs.files[i];
      levels[file.level].AddFile(i, (*files)[i], file.bytes);
      family.all.AddFile(i, (*files)[i], file.bytes);
    }
    for (auto& [level, group] : levels) {
      group.level = level;
      family.levels.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace

std::string WhyNoPolicy(const std::string& policy) {
  const std::string id = tree::OptionId(policy);
  const std::string meant = filter::MeantPolicy(id);
  // A name without bits is of a program's own policy, such as MyBloomFilter, or of one that
  // RocksDB's C functions made. Of option strings, only bloomline's have a name with options alone.
  const bool is_name = id.find(':') == std::string::npos;
  const bool has_options = tree::ParsePolicyOptions(policy).size() > 1;
  const bool is_bloomlines = has_options && meant.find("'bloomline'") != std::string::npos;
  if (is_name ? !is_bloomlines : meant.empty() && filter::ParsePolicyId(id).is_valid) return "";
  return "RocksDB does not know the policy " + support::Quoted(id) +
         " and goes on without filters" + meant;
}

void AddPolicyArgument(CLI::App* command, std::string* policy) {
  tool::AddQuantity(command, "--policy", policy, ParsePolicy,
                    "The database's filter policy: an option string\n"
                    "(bloomfilter:10) or a name; options in braces and\n"
                    "other names are not checked. Files whose filters it\n"
                    "would ignore are counted [that of OPTIONS]");
}

void FilterSums::Add(const FilterSums& other) {
  for (const auto& [layout, count] : other.layouts) {
    layouts[layout].filters += count.filters;
    layouts[layout].bytes += count.bytes;
  }
  num_filters += other.num_filters;
  filter_bytes += other.filter_bytes;
  num_keys += other.num_keys;
  entry_bytes += other.entry_bytes;
}

void RangeFacts::Add(const RangeFacts& other) {
  files += other.files;
  bytes += other.bytes;
  num_keys += other.num_keys;
  kinds.Add(other.kinds);
}

std::set<std::string> FormatsOf(const FileFacts& facts) {
  std::set<std::string> formats;
  for (const auto& [layout, count] : facts.layouts) {
    if (layout == engine_filters::FilterLayout::kUnknown && !facts.unknown_filters.empty()) {
      continue;
    }
    formats.insert(ShortName(layout));
  }
  for (const std::string& name : facts.unknown_filters) {
    constexpr size_t kMostShown = 20;  // PrintFacts shows all
    const bool is_long = name.size() > kMostShown;
    formats.insert("unknown: " + (is_long ? name.substr(0, kMostShown - 3) + "..." : name));
  }
  if (facts.has_filter() && formats.empty()) {
    formats.insert(engine_filters::LayoutName(engine_filters::FilterLayout::kNoKeys));
  }
  // In LevelDB, kCompact writes some key sets in kBlocked's layouts. A file has one format.
  if (formats.count(FormatName(Format::kCompact)) != 0) {
    formats.erase(FormatName(Format::kBlocked));
  }
  return formats;
}

double FilterSums::bits_per_key() const {
  return key_bytes() == 0 || keys_unknown ? std::nan("") : 8 * Quotient(key_bytes(), num_keys);
}

void Group::AddFile(size_t index, const InspectedFile& file, uint64_t file_bytes) {
  const FileFacts& facts = file.facts;
  files.push_back(index);
  bytes += file_bytes;
  runs += file.coverage;
  if (!file.used()) unfiltered_runs += file.coverage;
  wasted_reads += file.coverage * file.rate();
  keys_estimated = keys_estimated || facts.keys_estimated;
  keys_unknown = keys_unknown || facts.keys_unknown;
  ranges.Add(facts.ranges);
  if (!facts.has_filter()) {
    ++files_without_filter;
    keys_without_filter += facts.num_keys;
    missing_filters += facts.missing_filters;
    return;
  }
  FilterSums::Add(facts);
  formats.merge(FormatsOf(facts));
  if (!file.ignored.empty()) ++ignored_files;
  if (facts.filter_kind == tables::FilterKind::kPartitioned) ++partitioned_files;
}

Inspection Inspect(Inputs* inputs, const CommonOptions& options, const std::string& name,
                   const std::string& policy) {
  Inspection inspection;
  inspection.files = ResultsOfFiles<InspectedFile>(
      inputs, options, name, true,
      [](size_t, const tables::Table& table, InspectedFile* file, std::string* error) {
        return InspectFile(table, &file->facts, error);
      });
  const auto running = [&](const auto& part) {
    return policy.empty() ? WithoutCompact(inputs->column_family(part).filter_policy) : policy;
  };
  for (size_t i = 0; i < inspection.files.size(); ++i) {
    const SurveyedFile& file = inputs->files[i];
    const auto version = tree::VersionOf(inputs->databases[file.database].rocksdb_version);
    InspectedFile& inspected = inspection.files[i];
    if (inspected.facts.engine == tables::Engine::kLevelDB &&
        inspected.facts.filter_name == engine_filters::kOldLevelDBName) {
      inputs->databases[file.database].is_goleveldb = true;
    }
    inspected.ignored = WhyIgnored(running(file), version, inspected.facts);
    const bool may_be_none = policy.empty() && inspected.ignored.empty();
    if (may_be_none && inspected.facts.engine == tables::Engine::kRocksDB &&
        inspected.facts.has_filter()) {
      inspected.ignored = WhyNoPolicy(running(file));
    }
  }
  inspection.groups = GroupFiles(*inputs, &inspection.files);
  for (const FamilyGroups& family : inspection.groups) {
    inspection.policies.push_back(running(family));
  }
  return inspection;
}

}  // namespace bloomline::db
