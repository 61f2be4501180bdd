#include "src/db/advise/range_remark.h"

#include <algorithm>
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

// The bits per key of the present filters. Without filters, the default.
FilterOptions OptionsAs(const Group& group) {
  FilterOptions options;
  options.format = Format::kCompact;
  const BitsPerKeyRange allowed = AllowedBitsPerKey(options.format);
  const double bits = group.bits_per_key();
  if (bits > 0) options.bits_per_key = std::clamp(bits, allowed.min, allowed.max);
  return options;
}

// Makes the entries of the first max_keys keys. False with *error: damaged.
bool AddFile(const sstable::Table& table, uint64_t max_keys, int num_levels_below,
             uint64_t num_keys, const FilterOptions& options, std::mutex* mutex, RangeCost* cost,
             std::string* error) {
  const FilterKeys keys(table);
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  filter::FilterWriter writer(options);
  filter::RangeEntryOptions entry_options;
  entry_options.is_auto = true;
  entry_options.num_levels_below = num_levels_below;
  filter::RangeEntries entries(entry_options);
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
  const auto of_all = static_cast<double>(num_keys);
  const std::lock_guard<std::mutex> lock(*mutex);
  cost->kinds.Add(entries.chosen());
  cost->key_bytes += of_all * options.bits_per_key / 8;
  cost->entry_bytes += static_cast<double>(writer.extension().second.payload_bytes()) /
                       static_cast<double>(read) * of_all;
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
                return AddFile(table, max_keys, num_levels_below, facts.num_keys,
                               OptionsAs(family.all), &mutex, &costs[g], error);
              });
  return costs;
}

std::string RangeRemark(const RangeCost& cost, const std::optional<TickerRates>& rates,
                        const Group& all, const std::string& extractor) {
  if (all.ranges.files != 0) {
    return "The filters also have entries for ranges (" + cli::BytesText(all.ranges.entry_bytes) +
           "), which the comparison leaves out. The choices have none: to keep them, set "
           "range_prefixes with any of them.";
  }
  if (cost.key_bytes == 0) return "";
  std::string remark = "Filters for ranges (docs/ranges.md; range_prefixes=auto) would have ";
  if (cost.entry_bytes == 0) {
    remark += "no entries for these keys";
  } else {
    remark += "entries for beginnings of these keys (" + cost.kinds.Text() + "), +" +
              cli::RateText(cost.entry_bytes / cost.key_bytes) + " of the filters' memory";
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
