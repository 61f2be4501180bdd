#include "src/db/survey/kept_policy.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/db/model/advice.h"
#include "src/db/tree/options_file.h"
#include "src/filter/options/formats.h"
#include "src/filter/options/policy_id.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"
#include "src/tool/terminal.h"

namespace bloomline::db {
namespace {

// What a policy writes.
struct Written {
  Format format = Format::kBlocked;
  double bits_per_key = 10;  // the option
  bool by_level = false;
};

// Smaller filters have more bits than they should: whole blocks.
constexpr uint64_t kLargeKeys = 1000;
// Levels that differ by less have the same bits.
constexpr double kSameBits = 1;

// What the running policy writes; nothing if that is unknown.
std::optional<Written> Running(const std::string& policy) {
  const std::string id_text = tree::OptionId(policy);
  const filter::PolicyId id = filter::ParsePolicyId(id_text);
  Written written;
  written.format = id.format;
  const bool has_bits = id.bits || id.policy_class == filter::PolicyClass::kBloomline;
  if (id.policy_class == filter::PolicyClass::kOther || !has_bits ||
      (id.bits && !support::ParseDouble(*id.bits, &written.bits_per_key))) {
    return std::nullopt;
  }
  if (id.policy_class != filter::PolicyClass::kBloomline) return written;
  for (const auto& [option, value] : tree::ParsePolicyOptions(policy)) {
    if (option == "format") {
      const std::optional<Format> format = filter::FormatNamed(value);
      if (!format || !filter::RowOf(*format).in_rocksdb) return std::nullopt;
      written.format = *format;
    } else if (option == "bits_per_key") {
      if (!support::ParseDouble(value, &written.bits_per_key)) return std::nullopt;
    } else if (option == "bits_by_level") {
      if (value != "auto" && value != "uniform") return std::nullopt;
      written.by_level = value == "auto";
    } else if (option == "memory" && value != "0") {
      return std::nullopt;  // the bits follow the limit
    }
  }
  return written;
}

// The format of nearly all filters.
std::optional<Format> FormatOf(const Group& group) {
  constexpr double kNearlyAll = 0.98;
  uint64_t bytes = 0;
  for (const auto& [layout, count] : group.layouts) bytes += count.bytes;
  for (const filter::FormatRow& row : filter::kFormats) {
    uint64_t of_format = 0;
    for (const engine_filters::FilterLayout layout :
         engine_filters::LayoutsFor(tables::Engine::kRocksDB, row.format)) {
      const auto found = group.layouts.find(layout);
      if (found != group.layouts.end()) of_format += found->second.bytes;
    }
    if (bytes != 0 && static_cast<double>(of_format) >= kNearlyAll * static_cast<double>(bytes)) {
      return row.format;
    }
  }
  return std::nullopt;
}

std::optional<Written> OfFiles(const FamilyGroups& groups) {
  const std::optional<Format> format = FormatOf(groups.all);
  if (!format || std::isnan(groups.all.bits_per_key())) return std::nullopt;
  Written written{*format, 0, false};
  const Group* top = nullptr;
  const Group* bottom = nullptr;
  for (const Group& level : groups.levels) {
    if (level.num_keys < kLargeKeys || level.level < 0) continue;
    if (top == nullptr) top = &level;
    bottom = &level;
  }
  if (bottom == nullptr) bottom = top = &groups.all;
  written.by_level = top->bits_per_key() > bottom->bits_per_key() + kSameBits;
  const double bits_per_key = filter::BitsOfMemory(*format, groups.all.bits_per_key());
  const BitsPerKeyRange allowed = AllowedBitsPerKey(*format);
  // Tenths: a filter has whole blocks.
  written.bits_per_key = std::clamp(std::round(10 * bits_per_key) / 10, allowed.min, allowed.max);
  return written;
}

}  // namespace

std::optional<double> BitsOfPolicy(const std::string& policy) {
  const std::optional<Written> written = Running(policy);
  if (!written || !filter::IsAllowed(written->format, written->bits_per_key)) return std::nullopt;
  return filter::MemoryBits(written->format, written->bits_per_key);
}

bool WritesOldBloom(const tree::ColumnFamily& family) {
  constexpr double kFirstWithNewBloom = 5;
  double format_version = 0;
  return support::ParseDouble(family.format_version, &format_version) &&
         format_version < kFirstWithNewBloom;
}

KeptFilters FiltersToKeep(const Inputs& inputs, const Inspection& inspection, size_t g) {
  const FamilyGroups& groups = inspection.groups[g];
  if (inputs.databases[groups.database].engine != tables::Engine::kRocksDB) return {};
  const std::optional<Written> running = Running(inspection.policies[g]);
  if (!running) return {};
  const tree::ColumnFamily& family = inputs.column_family(groups);
  const std::optional<Written> kept = OfFiles(groups);
  if (!kept) return {};
  const bool is_same = running->format == kept->format && running->by_level == kept->by_level &&
                       std::abs(running->bits_per_key - kept->bits_per_key) < kSameBits;
  const bool is_old_bloom =
      groups.all.layouts.count(engine_filters::FilterLayout::kRocksDBLegacy) != 0;
  const bool needs_format_version =
      filter::HasLegacy(kept->format) && !kept->by_level && !is_old_bloom && WritesOldBloom(family);
  if (is_same && !needs_format_version) return {};
  return {model::PolicyText(kept->format, kept->bits_per_key, kept->by_level),
          needs_format_version};
}

void PrintFiltersToKeep(const KeptFilters& kept) {
  tool::PrintLine("to keep these filters in new files, set filter_policy to");
  tool::PrintLine(kept.policy);
  if (kept.needs_format_version) tool::PrintLine("and format_version beside it to 5");
}

}  // namespace bloomline::db
