#include "src/db/advise/range_remark.h"

#include <mutex>

#include "src/cli/shared/quantity.h"
#include "src/db/advise/range_filter.h"

namespace bloomline::db {
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
                const FilterOptions options = OptionsForRanges(family.all);
                RangeFilterRequest request;
                request.max_keys = max_keys;
                request.num_levels_below = family.levels.back().level - file.level;
                RangeFilter made;
                if (!MakeRangeFilter(table, options, request, &made, error)) return false;
                if (made.num_keys == 0) return true;
                const auto of_all = static_cast<double>(facts.num_keys);
                const std::lock_guard<std::mutex> lock(mutex);
                RangeCost& cost = costs[g];
                cost.kinds.Add(made.kinds);
                cost.key_bytes += of_all * options.bits_per_key / 8;
                cost.entry_bytes += static_cast<double>(made.entry_bytes) /
                                    static_cast<double>(made.num_keys) * of_all;
                return true;
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
