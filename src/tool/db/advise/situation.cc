#include "src/tool/db/advise/situation.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace bloomline::tool::db {
namespace {

double WastedReads(const Group& group, const MeasuredFamily* measured) {
  if (measured != nullptr) {
    for (const MeasuredGroup& level : measured->levels) {
      if (level.level == group.level && !std::isnan(level.wasted_reads)) return level.wasted_reads;
    }
  }
  // A filter that is not understood matches every key, as far as is known.
  return std::isnan(group.wasted_reads) ? group.runs : group.wasted_reads;
}

uint64_t MedianKeysPerFilter(const Inputs& inputs, const Inspection& inspection,
                             const FamilyGroups& groups) {
  std::vector<uint64_t> keys;
  for (size_t i = 0; i < inspection.files.size(); ++i) {
    const FileRef& ref = inputs.files[i];
    const FileFacts& facts = inspection.files[i].facts;
    if (ref.state != FileState::kDone || ref.database != groups.database ||
        inputs.file(ref).column_family != groups.column_family) {
      continue;
    }
    const uint64_t of_file =
        facts.num_filters == 0 ? facts.keys_per_missing_filter : facts.num_keys / facts.num_filters;
    if (of_file != 0) keys.push_back(of_file);
  }
  if (keys.empty()) return 0;
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2),
                   keys.end());
  return keys[keys.size() / 2];
}

}  // namespace

advice::Situation SituationOf(const Inputs& inputs, const Inspection& inspection,
                              const FamilyGroups& groups, const MeasuredFamily* measured) {
  const database::Database& database = inputs.databases[groups.database];
  const database::ColumnFamily& family =
      database.column_families[static_cast<size_t>(groups.column_family)];
  advice::Situation situation;
  situation.engine = database.engine;
  situation.leveled =
      family.compaction_style.empty() || family.compaction_style == "kCompactionStyleLevel";
  situation.partitioned = groups.all.partitioned_files != 0;
  situation.keys_per_filter = MedianKeysPerFilter(inputs, inspection, groups);
  if (family.level_size_ratio >= 1 && family.level_size_ratio <= 1000) {
    situation.level_size_ratio = family.level_size_ratio;
  }
  for (const Group& group : groups.levels) {
    advice::Level level;
    level.number = group.level;
    level.num_runs = std::max(group.runs, 1e-6);  // the least that advice allows
    // Files without a filter will have one, of all their keys.
    level.num_keys = group.num_keys + group.keys_without_filter;
    level.num_filters = group.files_without_filter == 0 ? group.num_filters : 0;
    level.filter_bytes = group.filter_bytes;
    level.wasted_reads = WastedReads(group, measured);
    situation.levels.push_back(level);
  }
  return situation;
}

}  // namespace bloomline::tool::db
