#include "src/engines/rocksdb/options/option_table.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomline/level_sizing.h"
#include "src/engines/rocksdb/canonical/named_canonicalizer.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/engines/rocksdb/ranges/range_settings.h"
#include "src/filter/container/trailer.h"
#include "src/filter/keys/canonical_keys.h"
#include "src/filter/layouts/limits.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::OptionType;
using support::ErrorText;

constexpr int kMinLevels = 2;

std::string Wrong(const char* name, const std::string& value, const std::string& allowed) {
  return std::string(name) + " is " + support::Quoted(value) + "; allowed: " + allowed;
}

std::string RangeText(Format format) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return support::DoubleText(allowed.min) + " to " + support::DoubleText(allowed.max);
}

std::string RangesText() {
  return RangeText(Format::kBlocked) + ", in format compact " + RangeText(Format::kCompact);
}

// What is wrong with the format and all that depends on it; empty if nothing.
std::string WrongInFormat(const RocksDBFilterOptions& all, const FilterOptions& options) {
  if (!filter::IsStock(options.format)) return filter::ValidateForTrailer(options);
  std::string wrong = options.Validate();
  if (!wrong.empty()) return wrong;
  const std::string format = std::string("format is ") + FormatName(options.format) + ", ";
  constexpr char kAllowed[] = "; allowed: blocked, compact";
  if (options.seed != 0) return format + "whose hash takes no seed" + kAllowed;
  if (!all.range_prefixes.empty()) return format + "which has no range entries" + kAllowed;
  if (all.canonicalizer != nullptr) {
    return format + "which RocksDB without the canonicalizer would query" + kAllowed;
  }
  return "";
}

// The bits per key, the format and the seed.
void CheckFilter(const RocksDBFilterOptions& options, PolicySettings* settings, ErrorText* error) {
  settings->filter = Normalized(options);
  *error << std::string_view(WrongInFormat(options, settings->filter));
}

std::string ParseFormatOf(const char* name, const std::string& value, const char* others,
                          Format* result) {
  for (const Format format :
       {Format::kBlocked, Format::kCompact, Format::kBloom, Format::kRibbon}) {
    if (value != FormatName(format)) continue;
    *result = format;
    return "";
  }
  return Wrong(name, value, std::string("blocked, compact, bloom, ribbon") + others);
}

std::string ParseFormat(const std::string& value, RocksDBFilterOptions* options) {
  return ParseFormatOf("format", value, "", &options->format);
}

std::string FormatText(const RocksDBFilterOptions& options) { return FormatName(options.format); }

// Flushed files have the format of all others.
constexpr char kSame[] = "same";

std::string ParseFlushFormat(const std::string& value, RocksDBFilterOptions* options) {
  if (value == kSame) {
    options->flush_format.reset();
    return "";
  }
  Format format = Format::kBlocked;
  std::string wrong = ParseFormatOf("flush_format", value, ", same", &format);
  if (wrong.empty()) options->flush_format = format;
  return wrong;
}

void CheckFlushFormat(const RocksDBFilterOptions& options, PolicySettings*, ErrorText* error) {
  if (!options.flush_format.has_value()) return;
  FilterOptions flushed = Normalized(options);
  flushed.format = *options.flush_format;
  const std::string wrong = WrongInFormat(options, flushed);
  if (!wrong.empty()) *error << "with flush_format, " << std::string_view(wrong);
}

std::string FlushFormatText(const RocksDBFilterOptions& options) {
  return options.flush_format.has_value() ? FormatName(*options.flush_format) : kSame;
}

// What OPTIONS files say for random_seed. The seeds themselves are in the filters alone.
constexpr char kRandomSeed[] = "random";

std::string ParseSeed(const std::string& value, RocksDBFilterOptions* options) {
  options->random_seed = value == kRandomSeed;
  if (options->random_seed) {
    options->seed = 0;
    return "";
  }
  if (support::ParseUint64(value, &options->seed)) return "";
  return Wrong("seed", value, "0 to 2^64 - 1, random");
}

std::string SeedText(const RocksDBFilterOptions& options) {
  return options.random_seed ? kRandomSeed : std::to_string(options.seed);
}

template <auto member>
std::string NumberText(const RocksDBFilterOptions& options) {
  return support::DoubleText(options.*member);
}

constexpr char kUniform[] = "uniform";
constexpr char kAutoLevels[] = "auto";

// RocksDB's own lists have colons. Commas are what people write.
constexpr char kSeparators[] = ":,";

bool IsAllowed(double bits, const BitsPerKeyRange& allowed) {
  return bits == 0 || (bits >= allowed.min && bits <= allowed.max);
}

void CheckBitsByLevel(const RocksDBFilterOptions& options, PolicySettings*, ErrorText* error) {
  const std::vector<double>& bits = options.bits_by_level;
  constexpr size_t kMaxNumbers = RocksDBFilterOptions::kMaxLevels;
  if (bits.size() > kMaxNumbers) {
    *error << "bits_by_level has " << bits.size() << " numbers; allowed: at most " << kMaxNumbers;
    return;
  }
  if (options.auto_bits_by_level && !bits.empty()) {
    *error << "auto_bits_by_level is set and bits_by_level has numbers; allowed: one of the two";
    return;
  }
  for (size_t level = 0; level < bits.size(); ++level) {
    // Flushes go to level 0, and so do some compactions.
    Format format = options.format;
    if (level == 0 && IsAllowed(bits[level], AllowedBitsPerKey(format))) {
      format = options.flush_format.value_or(format);
    }
    const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
    if (IsAllowed(bits[level], allowed)) continue;
    *error << "bits_by_level has ";
    error->AppendExactly(bits[level]);
    *error << " for level " << level << "; allowed: " << allowed.min << " to " << allowed.max
           << " in format " << FormatName(format) << ", and 0 for no filter";
    return;
  }
}

std::string BitsByLevelText(const RocksDBFilterOptions& options) {
  if (options.auto_bits_by_level) return kAutoLevels;
  if (options.bits_by_level.empty()) return kUniform;
  std::string text;
  for (const double bits : options.bits_by_level) {
    if (!text.empty()) text += ':';
    text += support::DoubleText(bits);
  }
  return text;
}

std::string ParseNumLevels(const std::string& value, RocksDBFilterOptions* options) {
  uint64_t number;
  if (support::ParseUint64(value, &number) && number <= RocksDBFilterOptions::kMaxLevels) {
    options->num_levels = static_cast<int>(number);
    return "";
  }
  return Wrong("num_levels", value,
               "2 to " + std::to_string(RocksDBFilterOptions::kMaxLevels) +
                   ", and 0 to learn it from the files");
}

void CheckNumLevels(const RocksDBFilterOptions& options, PolicySettings*, ErrorText* error) {
  const int num_levels = options.num_levels;
  constexpr int kMaxLevels = RocksDBFilterOptions::kMaxLevels;
  if (num_levels == 0 || (num_levels >= kMinLevels && num_levels <= kMaxLevels)) return;
  *error << "num_levels is " << num_levels << "; allowed: " << kMinLevels << " to " << kMaxLevels
         << ", and 0 to learn it from the files";
}

std::string ParseLevelSizeRatio(const std::string& value, RocksDBFilterOptions* options) {
  if (support::ParseDouble(value, &options->level_size_ratio)) return "";
  return Wrong("level_size_ratio", value, "1 to " + support::DoubleText(kMaxLevelSizeRatio));
}

void CheckLevelSizeRatio(const RocksDBFilterOptions& options, PolicySettings*, ErrorText* error) {
  if (options.level_size_ratio >= 1 && options.level_size_ratio <= kMaxLevelSizeRatio) return;
  *error << "level_size_ratio is ";
  error->AppendExactly(options.level_size_ratio);
  *error << "; allowed: 1 to " << kMaxLevelSizeRatio;
}

std::string ParseBool(const char* name, const std::string& value, bool* result) {
  const bool is_true = value == "true" || value == "1";
  if (!is_true && value != "false" && value != "0") return Wrong(name, value, "true, false");
  *result = is_true;
  return "";
}

template <bool RocksDBFilterOptions::*member>
std::string BoolText(const RocksDBFilterOptions& options) {
  return options.*member ? "true" : "false";
}

std::string ParseFiltersAtBottom(const std::string& value, RocksDBFilterOptions* options) {
  return ParseBool("filters_at_bottom", value, &options->filters_at_bottom);
}

std::string ParseStockId(const std::string& value, RocksDBFilterOptions* options) {
  return ParseBool("stock_id", value, &options->stock_id);
}

void CheckStockId(const RocksDBFilterOptions& options, PolicySettings*, ErrorText* error) {
  for (const Format format : {options.format, options.flush_format.value_or(options.format)}) {
    if (!options.stock_id || filter::IsStock(format)) continue;
    *error << "stock_id is true and files have filters of format " << FormatName(format)
           << ", which RocksDB's own policy does not use; allowed: bloom, ribbon";
    return;
  }
}

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

const std::array<OptionRow, 12>& OptionTable() {
  static constexpr std::array<OptionRow, 12> kRows = {{
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
      {kCanonicalizerOption, OptionType::kString, ParseCanonicalizer, CheckCanonicalizer,
       CanonicalizerText},
  }};
  return kRows;
}

std::string ParseBitsByLevel(const std::string& value, RocksDBFilterOptions* options) {
  std::vector<double> bits;
  if (value != kUniform && value != kAutoLevels) {
    for (size_t begin = 0; begin <= value.size();) {
      const size_t end = std::min(value.find_first_of(kSeparators, begin), value.size());
      double number;
      if (!support::ParseDouble(std::string_view(value).substr(begin, end - begin), &number)) {
        return Wrong("bits_by_level", value,
                     "auto, uniform, or numbers from level 0 on as in 24:20:16:12:9, each 0 (no "
                     "filter) or " +
                         RangesText());
      }
      bits.push_back(number);
      begin = end + 1;
    }
  }
  options->auto_bits_by_level = value == kAutoLevels;
  options->bits_by_level = std::move(bits);
  return "";
}

std::string ParseBitsPerKey(const std::string& value, RocksDBFilterOptions* options) {
  if (support::ParseDouble(value, &options->bits_per_key)) return "";
  return Wrong("bits_per_key", value, RangesText());
}

}  // namespace bloomline
