#include "src/db/advise/range_remark.h"

#include <mutex>

#include "bloomline/filter_options.h"
#include "src/db/table_filters.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::db {
namespace {

bool CanHaveRanges(const FileFacts& facts) {
  const sstable::KeyOrder order = sstable::OrderOf(facts.comparator);
  return facts.engine == sstable::Engine::kRocksDB && order.is_known && !order.is_reversed &&
         facts.canonicalizer.empty();
}

// The entries alone go to a filter, which then says what was chosen. False with *error: damaged.
bool AddFile(const sstable::Table& table, uint64_t max_keys, int num_levels_below,
             uint64_t num_keys, std::mutex* mutex, RangeCost* cost, std::string* error) {
  const FilterKeys keys(table);
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  filter::FilterWriter writer{FilterOptions()};
  constexpr double kMaxEntriesPerKey = 0.1;  // RocksDBFilterOptions::range_entries_per_key
  filter::RangeEntries entries(kMaxEntriesPerKey, num_levels_below);
  entries.Add("", &writer);  // the empty prefix
  uint64_t read = 0;
  std::string last;
  while (read < max_keys && reader->Next()) {
    const std::string_view key = keys.Key(reader->user_key());
    if (read != 0 && key == last) continue;
    entries.Add(key, &writer);
    last.assign(key);
    ++read;
  }
  *error = reader->error();
  if (!error->empty()) return false;
  if (read == 0) return true;
  entries.Finish(false, &writer);
  const auto num_entries = static_cast<double>(writer.num_keys());
  const filter::FinishPlan plan = writer.Plan();
  std::string bytes(static_cast<size_t>(plan.num_bytes), '\0');
  writer.FinishTo(plan, bytes.data());
  filter::RangeField field;
  if (!filter::DecodeRangeField(filter::RangesOf(bytes), &field)) return true;
  const std::lock_guard<std::mutex> lock(*mutex);
  cost->kinds.Add(field.kinds);
  cost->num_keys += static_cast<double>(num_keys);
  cost->num_entries += num_entries / static_cast<double>(read) * static_cast<double>(num_keys);
  return true;
}

}  // namespace

std::vector<RangeCost> RangeCosts(Inputs* inputs, const CommonOptions& common, uint64_t max_keys,
                                  const Inspection& inspection) {
  std::vector<RangeCost> costs(inspection.groups.size());
  std::mutex mutex;
  CommonOptions quiet = common;
  quiet.progress = false;
  ForEachFile(inputs, quiet, "advise",
              [&](size_t i, const sstable::Table& table, cli::FileProgress*, std::string* error) {
                size_t g = 0;
                const FileRef& ref = inputs->files[i];
                const directory::TableFile& file = inputs->file(ref);
                while (inspection.groups[g].database != ref.database ||
                       inspection.groups[g].column_family != file.column_family) {
                  ++g;
                }
                const FamilyGroups& family = inspection.groups[g];
                const FileFacts& facts = inspection.files[i].facts;
                if (!CanHaveRanges(facts) || family.all.ranges.files != 0) return true;
                const int num_levels_below = family.levels.back().level - file.level;
                return AddFile(table, max_keys, num_levels_below, facts.num_keys, &mutex, &costs[g],
                               error);
              });
  return costs;
}

}  // namespace bloomline::db
