#include "src/engines/rocksdb/options/option_table.h"

#include "src/engines/rocksdb/canonical/named_canonicalizer.h"
#include "src/engines/rocksdb/options/format_options.h"
#include "src/engines/rocksdb/options/level_options.h"
#include "src/engines/rocksdb/options/memory_options.h"
#include "src/engines/rocksdb/options/option_values.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/engines/rocksdb/ranges/range_settings.h"
#include "src/filter/keys/canonical_keys.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::OptionType;
using support::ErrorText;

// What OPTIONS files say for no range_prefixes: RocksDB does not read empty values.
constexpr char kNone[] = "none";

std::string ParseRangePrefixes(const std::string& value, RocksDBFilterOptions* options) {
  options->range_prefixes = value == kNone ? "" : value;
  return "";  // the check reads it
}

void CheckRangePrefixes(const RocksDBFilterOptions& options, PolicySettings* settings,
                        ErrorText* error) {
  ReadRangePrefixes(options, &settings->ranges, error);
}

std::string RangePrefixesText(const RocksDBFilterOptions& options) {
  return options.range_prefixes.empty() ? kNone : options.range_prefixes;
}

std::string ParseRangeMemory(const std::string& value, RocksDBFilterOptions* options) {
  if (support::ParseDouble(value, &options->range_memory_percent)) return "";
  return Wrong("range_memory_percent", value, "a number");
}

void CheckRangeMemory(const RocksDBFilterOptions& options, PolicySettings* settings,
                      ErrorText* error) {
  ReadRangeMemory(options, &settings->ranges, error);
}

void CheckCanonicalizer(const RocksDBFilterOptions& options, PolicySettings*, ErrorText* error) {
  if (options.canonicalizer == nullptr) return;
  filter::CheckCanonicalizerName(options.canonicalizer->Name(), error);
  if (error->empty() && options.stock_if_version_differs) {
    *error
        << "stock_if_version_differs is set and there is a canonicalizer, without which RocksDB's "
           "own filters lose keys; allowed: one of the two";
  }
}

}  // namespace

const std::array<OptionRow, 14>& OptionTable() {
  static constexpr std::array<OptionRow, 14> kRows = {{
      {"bits_per_key", OptionType::kDouble, ParseBitsPerKey, CheckFilter,
       NumberText<&FilterOptions::bits_per_key>},
      {"format", OptionType::kString, ParseFormat, nullptr, FormatText},
      {"seed", OptionType::kUInt64T, ParseSeed, nullptr, SeedText},
      {"bits_by_level", OptionType::kString, ParseBitsByLevel, CheckBitsByLevel, BitsByLevelText},
      {"num_levels", OptionType::kInt, ParseNumLevels, CheckNumLevels,
       NumberText<&RocksDBFilterOptions::num_levels>},
      {"level_size_ratio", OptionType::kDouble, ParseLevelSizeRatio, CheckLevelSizeRatio,
       NumberText<&RocksDBFilterOptions::level_size_ratio>},
      {"flush_format", OptionType::kString, ParseFlushFormat, CheckFlushFormat, FlushFormatText},
      {"filters_at_bottom", OptionType::kBoolean, ParseFiltersAtBottom, nullptr,
       BoolText<&RocksDBFilterOptions::filters_at_bottom>},
      {"stock_id", OptionType::kBoolean, ParseStockId, CheckStockId,
       BoolText<&RocksDBFilterOptions::stock_id>},
      {"range_prefixes", OptionType::kString, ParseRangePrefixes, CheckRangePrefixes,
       RangePrefixesText},
      {"range_memory_percent", OptionType::kDouble, ParseRangeMemory, CheckRangeMemory,
       NumberText<&RocksDBFilterOptions::range_memory_percent>},
      {"memory", OptionType::kUInt64T, ParseMemory, CheckMemory,
       WholeNumberText<&RocksDBFilterOptions::memory_bytes>},
      {"max_filter_bytes", OptionType::kUInt64T, ParseMaxFilterBytes, CheckMaxFilterBytes,
       WholeNumberText<&RocksDBFilterOptions::max_filter_bytes>},
      {kCanonicalizerOption, OptionType::kString, ParseCanonicalizer, CheckCanonicalizer,
       CanonicalizerText},
  }};
  return kRows;
}

}  // namespace bloomline
