#include "src/db/advise/range_remark.h"

#include <cmath>
#include <mutex>

#include "bloomline/filter_options.h"
#include "src/cli/shared/quantity.h"
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
  // Only the field for ranges is wanted, so the filter has no bits.
  std::string bytes(static_cast<size_t>(writer.end_bytes()), '\0');
  writer.FinishTo(filter::FilterShape(), bytes.data());
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
  ForEachFile(inputs, common, "",
              [&](size_t i, const sstable::Table& table, cli::FileProgress*, std::string* error) {
                const directory::TableFile& file = inputs->file(inputs->files[i]);
                const size_t g = inspection.files[i].family;
                const FamilyGroups& family = inspection.groups[g];
                const FileFacts& facts = inspection.files[i].facts;
                if (!CanHaveRanges(facts) || family.all.ranges.files != 0) return true;
                const int num_levels_below = family.levels.back().level - file.level;
                return AddFile(table, max_keys, num_levels_below, facts.num_keys, &mutex, &costs[g],
                               error);
              });
  return costs;
}

std::string RangeRemark(const RangeCost& cost, const std::optional<TickerRates>& rates,
                        const Group& all, const std::string& extractor) {
  if (all.ranges.files != 0) {
    const double share = all.ranges.share();
    return "The filters have entries for ranges" +
           (std::isnan(share) ? "" : ", about " + cli::RateText(share) + " of their memory") +
           ". The choices have none: to keep them, set range_prefixes with any of them, and expect "
           "as much more memory.";
  }
  if (cost.num_keys == 0) return "";
  std::string remark = "Filters for ranges (docs/ranges.md; range_prefixes=auto) would have ";
  if (cost.num_entries == 0) {
    remark += "no entries for these keys";
  } else {
    remark += "entries for beginnings of these keys (" + cost.kinds.Text() + "), +" +
              cli::RateText(cost.num_entries / cost.num_keys) + " of the filters' memory";
  }
  if (!extractor.empty()) remark += ", and take the place of the prefix extractor " + extractor;
  if (rates && rates->seeks == 0) return remark + ". The statistics count no scan.";
  const std::string reads = "a block in " + cli::NumberText(all.runs, 2) + " files";
  if (!rates || !rates->seeks) {
    return remark + ". They pay if many scans with an upper bound find no key: each reads " +
           reads + " now.";
  }
  constexpr double kWorthwhile = 0.05;
  const uint64_t empty = *rates->seeks - rates->seeks_found;
  const bool pays = static_cast<double>(empty) > kWorthwhile * static_cast<double>(*rates->seeks);
  return remark + ". " + (pays ? "They may pay" : "They would hardly pay") + ": of " +
         cli::CountText(*rates->seeks) + " seeks in the statistics " +
         ShareText(empty, *rates->seeks) + " found no key" +
         (pays ? ", and each read " + reads + "." : ".");
}

}  // namespace bloomline::db
