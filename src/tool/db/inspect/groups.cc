#include "src/tool/db/inspect/groups.h"

#include <cmath>
#include <limits>
#include <utility>

#include "src/inspect/sstable/comparator.h"
#include "src/tool/db/measure/coverage.h"

namespace bloomline::tool::db {
namespace {

using FamilyKey = std::pair<size_t, int>;  // database, column family

FamilyKey FamilyOf(const Inputs& inputs, const FileRef& ref) {
  return {ref.database, inputs.file(ref).column_family};
}

// Level 0: its files overlap, and a Get queries all whose range has the key. Elsewhere files of a
// level do not overlap. The same sum serves both. Without a known order, or for files that were
// named on their own, each file of level 0 is a run, and any other level one run.
void CoverageOfFamily(const Inputs& inputs, const std::vector<size_t>& members,
                      std::vector<InspectedFile>* files) {
  std::vector<KeyRange> ranges;
  std::map<int, double> keys_of_level;
  bool known = true;
  for (const size_t i : members) {
    const database::TableFile& file = inputs.file(inputs.files[i]);
    const sstable::KeyOrder order = sstable::OrderOf((*files)[i].facts.comparator);
    const auto keys = static_cast<double>((*files)[i].facts.num_keys);
    ranges.push_back({sstable::WithoutTimestamp(order, file.smallest_key),
                      sstable::WithoutTimestamp(order, file.largest_key), keys});
    known = known && order.is_known && file.level >= 0;
    keys_of_level[file.level] += keys;
  }
  if (known) {
    const std::vector<double> coverage = Coverage(ranges);
    for (size_t m = 0; m < members.size(); ++m) (*files)[members[m]].coverage = coverage[m];
    return;
  }
  for (size_t m = 0; m < members.size(); ++m) {
    const int level = inputs.file(inputs.files[members[m]]).level;
    const double keys = keys_of_level[level];
    (*files)[members[m]].coverage = level == 0 ? 1 : keys > 0 ? ranges[m].num_keys / keys : 1;
  }
}

}  // namespace

double Group::bits_per_key() const {
  return num_keys == 0 ? std::numeric_limits<double>::quiet_NaN()
                       : 8 * static_cast<double>(filter_bytes) / static_cast<double>(num_keys);
}

double Group::rate() const {
  return runs > 0 ? wasted_reads / runs : std::numeric_limits<double>::quiet_NaN();
}

void Group::Add(const InspectedFile& file, uint64_t file_bytes) {
  const FileFacts& facts = file.facts;
  ++files;
  bytes += file_bytes;
  runs += file.coverage;
  wasted_reads += file.coverage * file.rate();
  keys_estimated = keys_estimated || facts.keys_estimated;
  if (!facts.has_filter()) {
    ++files_without_filter;
    bytes_without_filter += file_bytes;
    keys_without_filter += facts.num_keys;
    return;
  }
  num_keys += facts.num_keys;
  if (!file.ignored.empty()) {
    ++ignored_files;
    ignored_bytes += file_bytes;
  }
  if (facts.prefixes) ++(facts.whole_keys ? prefix_files : prefix_only_files);
  if (facts.kind == sstable::FilterKind::kPartitioned) ++partitioned_files;
  num_filters += facts.num_filters;
  filter_bytes += facts.filter_bytes;
  ++names[facts.filter_name];
  for (const auto& [layout, count] : facts.layouts) {
    layouts[layout].filters += count.filters;
    layouts[layout].bytes += count.bytes;
  }
}

void FindCoverage(const Inputs& inputs, std::vector<InspectedFile>* files) {
  std::map<FamilyKey, std::vector<size_t>> families;
  for (size_t i = 0; i < inputs.files.size(); ++i) {
    const FileRef& ref = inputs.files[i];
    if (ref.state != FileState::kDone) continue;
    (*files)[i].in_groups = true;
    families[FamilyOf(inputs, ref)].push_back(i);
  }
  for (const auto& [key, members] : families) CoverageOfFamily(inputs, members, files);
}

std::vector<FamilyGroups> GroupFiles(const Inputs& inputs,
                                     const std::vector<InspectedFile>& files) {
  std::map<FamilyKey, std::map<int, Group>> families;
  // A database without files is shown, too.
  for (size_t d = 0; d < inputs.databases.size(); ++d) {
    if (!inputs.databases[d].path.empty()) families[{d, 0}];
  }
  for (size_t i = 0; i < inputs.files.size(); ++i) {
    const FileRef& ref = inputs.files[i];
    if (ref.state != FileState::kDone) continue;
    const database::TableFile& file = inputs.file(ref);
    families[FamilyOf(inputs, ref)][file.level].Add(files[i], file.bytes);
  }
  std::vector<FamilyGroups> groups;
  for (auto& [key, levels] : families) {
    FamilyGroups family;
    family.database = key.first;
    family.column_family = key.second;
    for (auto& [level, group] : levels) {
      group.level = level;
      family.levels.push_back(group);
    }
    for (size_t i = 0; i < files.size(); ++i) {
      const FileRef& ref = inputs.files[i];
      if (ref.state == FileState::kDone && FamilyOf(inputs, ref) == key) {
        family.all.Add(files[i], inputs.file(ref).bytes);
      }
    }
    groups.push_back(std::move(family));
  }
  return groups;
}

}  // namespace bloomline::tool::db
