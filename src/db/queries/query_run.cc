#include "src/db/queries/query_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "src/db/advise/range_filter.h"
#include "src/db/measure/file_scan.h"
#include "src/db/measure/scan.h"
#include "src/db/queries/file_gets.h"
#include "src/filter/ranges/asked_places.h"

namespace bloomline::db {
namespace {

// What is asked of one column family.
struct FamilyWork {
  const FamilyQueries* queries = nullptr;  // null: nothing
  std::vector<RecordedQuery> reversed;     // Gets, for a comparator with that order
  std::vector<Range> ranges;
  filter::RangeCounts::Sample sample;

  const std::vector<RecordedQuery>& gets() const {
    return reversed.empty() ? queries->gets : reversed;
  }
};

// What one filter of a file costs scans.
struct FileScanCosts {
  std::vector<RangeAnswer> now;
  std::vector<RangeAnswer> other;  // with range_prefixes=auto
  RangeFilter other_filter;
};

struct FileRun {
  std::vector<GetOfFile> gets;
  FileScanCosts scans;
};

const FamilyQueries* Find(const RecordedQueries& queries, const std::string& column_family,
                          const directory::ColumnFamily& family) {
  if (!queries.is_trace && family.name != column_family) return nullptr;
  const auto found = queries.families.find(queries.is_trace ? family.id : 0);
  return found == queries.families.end() ? nullptr : &found->second;
}

std::string WhyNot(const Inputs& inputs, const Inspection& inspection, const FamilyGroups& group) {
  if (group.files.empty()) return "it has no tables";
  for (const size_t i : group.files) {
    if (inputs.file(inputs.files[i]).level < 0) {
      return "the levels of its files are unknown; queries need the folder of a database";
    }
    const FileFacts& facts = inspection.files[i].facts;
    if (!sstable::OrderOf(facts.comparator).is_known) {
      return "comparator '" + facts.comparator + "' is not known here";
    }
  }
  return "";
}

FamilyWork WorkOf(const FamilyQueries& queries, const Inspection& inspection,
                  const FamilyGroups& group, FamilyRun* run) {
  FamilyWork work;
  work.queries = &queries;
  if (sstable::OrderOf(inspection.files[group.files.front()].facts.comparator).is_reversed) {
    work.reversed.assign(queries.gets.rbegin(), queries.gets.rend());
  }
  for (const RecordedQuery& query : queries.gets) run->gets += query.count;
  for (const RecordedQuery& query : queries.scans) run->scans += query.count;
  run->other_seeks = queries.other_seeks;
  if (queries.scans.empty()) return work;
  run->no_scans = WhyNoScans(inspection, group);
  if (!run->no_scans.empty()) return work;
  const auto asked = std::make_unique<filter::AskedRanges>();
  for (const RecordedQuery& query : queries.scans) {
    Range range;
    range.begin = query.key;
    range.end = query.end;
    range.count = query.count;
    work.ranges.push_back(std::move(range));
    if (query.key.empty()) continue;
    for (uint64_t n = std::min<uint64_t>(query.count, 16); n > 0; --n) {
      asked->Add(query.key, query.end);
    }
  }
  SetReaches(&work.ranges);
  work.sample = filter::SampleOf(*asked);
  return work;
}

bool ScanFile(const sstable::Table& table, const directory::TableFile& file,
              const FamilyGroups& group, const FileFacts& facts, const FamilyWork& work,
              FileScanCosts* costs, std::string* error) {
  if (!FileScan(table).Run(file, work.ranges, &costs->now, error)) return false;
  if (costs->now.empty() || !CanHaveRanges(facts)) return true;
  RangeFilterRequest request;
  request.with_bytes = true;
  request.num_levels_below = group.levels.back().level - file.level;
  request.sample = work.sample;
  if (!MakeRangeFilter(table, OptionsForRanges(group.all), request, &costs->other_filter, error)) {
    return false;
  }
  std::string bytes = std::exchange(costs->other_filter.bytes, {});
  const auto filter =
      engine_filters::EngineFilter::Open(engine_filters::Container::kRocksDB, "bloomline", bytes);
  return FileScan(table, &filter).Run(file, work.ranges, &costs->other, error);
}

// ---- All files of a column family together.

void AddGet(GetAnswer answer, uint64_t count, LevelGets* level) {
  switch (answer) {
    case GetAnswer::kRejected:
      level->rejected += count;
      return;
    case GetAnswer::kFalsePositive:
      level->false_positives += count;
      return;
    case GetAnswer::kFound:
    case GetAnswer::kMerged:
      level->true_positives += count;
      return;
    case GetAnswer::kUnfiltered:
      level->unfiltered += count;
      return;
    case GetAnswer::kFoundUnfiltered:
    case GetAnswer::kMergedUnfiltered:
      return;
  }
}

// In the order in which a Get looks into them; in level 0 the newest first. RocksDB orders these by
// their age, which the numbers of files follow unless files were ingested.
std::vector<size_t> SearchOrder(const Inputs& inputs, const FamilyGroups& group) {
  std::vector<size_t> order = group.files;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const directory::TableFile& file_a = inputs.file(inputs.files[a]);
    const directory::TableFile& file_b = inputs.file(inputs.files[b]);
    if (file_a.level != file_b.level) return file_a.level < file_b.level;
    return file_a.level == 0 && file_a.number > file_b.number;
  });
  return order;
}

void SumGets(const Inputs& inputs, const FamilyGroups& group, const FamilyWork& work,
             const std::vector<FileRun>& files, FamilyRun* run) {
  const std::vector<RecordedQuery>& gets = work.gets();
  enum State : uint8_t { kMissing, kSeen, kDone };
  std::vector<State> states(gets.size(), kMissing);
  run->levels.resize(group.levels.size());
  for (const size_t i : SearchOrder(inputs, group)) {
    if (inputs.files[i].state != FileState::kDone) continue;
    const int level = inputs.file(inputs.files[i]).level;
    const auto at = std::find_if(group.levels.begin(), group.levels.end(),
                                 [&](const Group& of_level) { return of_level.level == level; });
    LevelGets& sums = run->levels[static_cast<size_t>(at - group.levels.begin())];
    for (const GetOfFile& get : files[i].gets) {
      State& state = states[get.get];
      if (state == kDone) continue;
      const auto answer = static_cast<GetAnswer>(get.answer);
      AddGet(answer, gets[get.get].count, &sums);
      if (answer == GetAnswer::kFound || answer == GetAnswer::kFoundUnfiltered) state = kDone;
      if (answer == GetAnswer::kMerged || answer == GetAnswer::kMergedUnfiltered) state = kSeen;
    }
  }
  for (size_t g = 0; g < gets.size(); ++g) {
    if (states[g] == kMissing) run->gets_of_missing_keys += gets[g].count;
  }
}

void AddScans(const std::vector<RangeAnswer>& answers, const std::vector<Range>& ranges,
              ScanCosts* costs) {
  for (const RangeAnswer& answer : answers) {
    if (answer.has_key) continue;
    costs->files += ranges[answer.range].count;
    if (answer.is_rejected) costs->rejected += ranges[answer.range].count;
  }
}

void SumScans(const Inputs& inputs, const FamilyGroups& group, const std::vector<FileRun>& files,
              FamilyWork* work, FamilyRun* run) {
  if (work->ranges.empty()) return;
  ScanCosts now;
  now.title = "now";
  now.kinds = group.all.ranges.kinds;
  now.entry_bytes = group.all.ranges.entry_bytes;
  ScanCosts other;
  other.title = "range_prefixes=auto";
  for (const size_t i : group.files) {
    if (inputs.files[i].state != FileState::kDone) continue;
    const FileScanCosts& costs = files[i].scans;
    AddScans(costs.now, work->ranges, &now);
    AddScans(costs.other, work->ranges, &other);
    other.kinds.Add(costs.other_filter.kinds);
    other.entry_bytes += costs.other_filter.entry_bytes;
    for (const RangeAnswer& answer : costs.now)
      work->ranges[answer.range].has_key |= answer.has_key;
  }
  for (const Range& range : work->ranges) {
    if (!range.has_key) run->empty_scans += range.count;
  }
  run->scan_costs = {std::move(now), std::move(other)};
}

}  // namespace

void LevelGets::Add(const LevelGets& other) {
  rejected += other.rejected;
  false_positives += other.false_positives;
  true_positives += other.true_positives;
  unfiltered += other.unfiltered;
}

LevelGets FamilyRun::all() const {
  LevelGets sum;
  for (const LevelGets& level : levels) sum.Add(level);
  return sum;
}

std::vector<FamilyRun> RunQueries(const RecordedQueries& queries, const std::string& column_family,
                                  const CommonOptions& common, const Inspection& inspection,
                                  Inputs* inputs) {
  std::vector<FamilyRun> runs(inspection.groups.size());
  std::vector<FamilyWork> works(inspection.groups.size());
  for (size_t g = 0; g < runs.size(); ++g) {
    const FamilyGroups& group = inspection.groups[g];
    const FamilyQueries* const asked =
        Find(queries, column_family, inputs->column_family(group.database, group.column_family));
    runs[g].not_run = asked == nullptr ? "the file has none for this column family"
                                       : WhyNot(*inputs, inspection, group);
    if (runs[g].not_run.empty()) works[g] = WorkOf(*asked, inspection, group, &runs[g]);
  }
  std::vector<FileRun> files(inputs->files.size());
  ForEachFile(
      inputs, common, "advise",
      [&](size_t i, const sstable::Table& table, cli::FileProgress* progress, std::string* error) {
        const InspectedFile& inspected = inspection.files[i];
        const FamilyWork& work = works[inspected.family];
        if (work.queries == nullptr) return true;
        const directory::TableFile& file = inputs->file(inputs->files[i]);
        if (!FileGets(table, inspected.used()).Run(file, work.gets(), &files[i].gets, error)) {
          return false;
        }
        const bool done =
            work.ranges.empty() || ScanFile(table, file, inspection.groups[inspected.family],
                                            inspected.facts, work, &files[i].scans, error);
        progress->AddBytes(table.file_bytes());
        return done;
      });
  for (size_t g = 0; g < runs.size(); ++g) {
    if (works[g].queries == nullptr) continue;
    SumGets(*inputs, inspection.groups[g], works[g], files, &runs[g]);
    SumScans(*inputs, inspection.groups[g], files, &works[g], &runs[g]);
  }
  return runs;
}

}  // namespace bloomline::db
