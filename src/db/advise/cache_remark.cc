#include "src/db/advise/cache_remark.h"

#include <algorithm>

#include "src/cli/shared/quantity.h"
#include "src/db/report.h"

namespace bloomline::db {
namespace {

using cli::BytesText;

std::string TimesText(uint64_t part, uint64_t all) {
  return cli::NumberText(static_cast<double>(part) / static_cast<double>(all), 1) + " times";
}

// The first choice that keeps the wasted reads and takes less memory.
const advice::Choice* Saving(const advice::Advice& advice) {
  const advice::Choice* best = nullptr;
  for (const advice::Choice& choice : advice.choices) {
    if (choice.filter_bytes >= advice.filter_bytes_now) continue;
    if (choice.wasted_reads > 1.05 * advice.wasted_reads_now) continue;
    if (best == nullptr || choice.filter_bytes < best->filter_bytes) best = &choice;
  }
  return best;
}

std::string WhatHelps(const CacheUse& use, const directory::ColumnFamily& family, const Group& all,
                      const advice::Advice& advice) {
  const uint64_t sum = use.filter_bytes + use.index_bytes;
  std::string text =
      " What helps: a cache of " + BytesText(2 * sum) + " or more, half of it for data blocks";
  if (all.partitioned_files < all.files && all.files > all.files_without_filter) {
    const uint64_t mean = all.filter_bytes / (all.files - all.files_without_filter);
    text +=
        "; partitions (partition_filters=true, index_type=kTwoLevelIndexSearch), of which a "
        "Get reads 4 KiB in place of a filter of " +
        BytesText(mean) + " on average";
  }
  if (!family.pins_level0 && use.level0_bytes != 0 && use.level0_bytes < use.capacity_bytes / 2) {
    text += "; pin_l0_filter_and_index_blocks_in_cache=true for the " +
            BytesText(use.level0_bytes) + " of level 0, which each Get asks";
  }
  if (const advice::Choice* const saving = Saving(advice)) {
    const uint64_t saved = advice.filter_bytes_now - saving->filter_bytes;
    const auto number = saving - advice.choices.data() + 1;
    text += "; (" + std::to_string(number) + "), which saves " + BytesText(saved) +
            " for the same wasted reads" +
            (sum - std::min(sum, saved) <= use.capacity_bytes ? ", so that all fits" : "");
  }
  if (use.index_bytes < use.capacity_bytes / 2) {
    text += "; fewer bits: with --memory " +
            std::to_string(use.capacity_bytes / 2 - use.index_bytes) +
            "B, filters and indexes take half of the cache";
  }
  return text + ". docs/db_details.md has these measured.";
}

}  // namespace

CacheUse CacheUseOf(const Inputs& inputs, const Inspection& inspection, size_t group,
                    uint64_t capacity_bytes) {
  CacheUse use;
  use.capacity_bytes = capacity_bytes;
  for (const FamilyGroups& family : inspection.groups) {
    if (family.database != inspection.groups[group].database) continue;
    ++use.column_families;
    for (const size_t i : family.files) {
      const FileFacts& facts = inspection.files[i].facts;
      use.filter_bytes += facts.filter_bytes;
      use.index_bytes += facts.index_bytes;
      if (inputs.file(inputs.files[i]).level == 0) {
        use.level0_bytes += facts.filter_bytes + facts.index_bytes;
      }
    }
  }
  return use;
}

std::string CacheRemark(const CacheUse& use, const directory::ColumnFamily& family,
                        const Group& all, const advice::Advice& advice) {
  const uint64_t sum = use.filter_bytes + use.index_bytes;
  std::string filters = "The filters (" + BytesText(use.filter_bytes) + ") and indexes (" +
                        BytesText(use.index_bytes) + ")";
  if (use.column_families > 1) {
    filters += " of " + cli::CountText(use.column_families) + " column families";
  }
  const std::string cache = "the block cache of " + BytesText(use.capacity_bytes);
  if (!family.caches_filters) {
    return filters + " are in the memory of the open tables, beside " + cache +
           ": cache_index_and_filter_blocks is false, or OPTIONS does not say.";
  }
  if (sum > use.capacity_bytes) {
    return filters + " do not fit in " + cache + ": they take " +
           TimesText(sum, use.capacity_bytes) +
           " its size, beside data blocks. So a Get reads filters that others have displaced "
           "from the cache." +
           WhatHelps(use, family, all, advice);
  }
  const std::string part = filters + " take " + ShareText(sum, use.capacity_bytes) + " of " + cache;
  if (2 * sum > use.capacity_bytes) {
    return part + ", which leaves little for data blocks and compactions." +
           WhatHelps(use, family, all, advice);
  }
  return part + ".";
}

}  // namespace bloomline::db
