#include "src/engines/rocksdb/option_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "src/engines/rocksdb/named_canonicalizer.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::OptionType;

std::string RangeText(Format format) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return support::DoubleText(allowed.min) + " to " + support::DoubleText(allowed.max);
}

std::string ParseFormatOf(const char* name, const std::string& value, const char* others,
                          Format* result) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    if (value != FormatName(format)) continue;
    *result = format;
    return "";
  }
  return std::string(name) + " is " + support::Quoted(value) + "; allowed: blocked, compact" +
         others;
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
  return "seed is " + support::Quoted(value) + "; allowed: 0 to 2^64 - 1, random";
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
  return "num_levels is " + support::Quoted(value) + "; allowed: 2 to " +
         std::to_string(RocksDBFilterOptions::kMaxLevels) + ", and 0 to learn it from the files";
}

std::string ParseLevelSizeRatio(const std::string& value, RocksDBFilterOptions* options) {
  if (support::ParseDouble(value, &options->level_size_ratio)) return "";
  return "level_size_ratio is " + support::Quoted(value) + "; allowed: 1 to 1000";
}

std::string ParseFiltersAtBottom(const std::string& value, RocksDBFilterOptions* options) {
  const bool is_true = value == "true" || value == "1";
  if (!is_true && value != "false" && value != "0") {
    return "filters_at_bottom is " + support::Quoted(value) + "; allowed: true, false";
  }
  options->filters_at_bottom = is_true;
  return "";
}

std::string FiltersAtBottomText(const RocksDBFilterOptions& options) {
  return options.filters_at_bottom ? "true" : "false";
}

// What OPTIONS files say for no range_prefixes: RocksDB does not read empty values.
constexpr char kNone[] = "none";

std::string ParseRangePrefixes(const std::string& value, RocksDBFilterOptions* options) {
  options->range_prefixes = value == kNone ? "" : value;
  return "";  // Validate reads it
}

std::string RangePrefixesText(const RocksDBFilterOptions& options) {
  return options.range_prefixes.empty() ? kNone : options.range_prefixes;
}

std::string ParseRangeEntries(const std::string& value, RocksDBFilterOptions* options) {
  if (support::ParseDouble(value, &options->range_entries_per_key)) return "";
  return "range_entries_per_key is " + support::Quoted(value) + "; allowed: a number";
}

}  // namespace

const std::array<OptionText, 11>& OptionTexts() {
  static constexpr std::array<OptionText, 11> kTexts = {{
      {"bits_per_key", OptionType::kDouble, ParseBitsPerKey,
       NumberText<&FilterOptions::bits_per_key>},
      {"format", OptionType::kString, ParseFormat, FormatText},
      {"seed", OptionType::kUInt64T, ParseSeed, SeedText},
      {"bits_by_level", OptionType::kString, ParseBitsByLevel, BitsByLevelText},
      {"num_levels", OptionType::kInt, ParseNumLevels,
       NumberText<&RocksDBFilterOptions::num_levels>},
      {"level_size_ratio", OptionType::kDouble, ParseLevelSizeRatio,
       NumberText<&RocksDBFilterOptions::level_size_ratio>},
      {"flush_format", OptionType::kString, ParseFlushFormat, FlushFormatText},
      {"filters_at_bottom", OptionType::kBoolean, ParseFiltersAtBottom, FiltersAtBottomText},
      {"range_prefixes", OptionType::kString, ParseRangePrefixes, RangePrefixesText},
      {"range_entries_per_key", OptionType::kDouble, ParseRangeEntries,
       NumberText<&RocksDBFilterOptions::range_entries_per_key>},
      {kCanonicalizerOption, OptionType::kString, ParseCanonicalizer, CanonicalizerText},
  }};
  return kTexts;
}

std::string OptionNames() {
  std::string names;
  for (const OptionText& option : OptionTexts()) {
    if (!names.empty()) names += ", ";
    names += option.name;
  }
  return names;
}

std::string ParseBitsByLevel(const std::string& value, RocksDBFilterOptions* options) {
  std::vector<double> bits;
  if (value != kUniform && value != kAutoLevels) {
    for (size_t begin = 0; begin <= value.size();) {
      const size_t end = std::min(value.find_first_of(kSeparators, begin), value.size());
      double number;
      if (!support::ParseDouble(std::string_view(value).substr(begin, end - begin), &number)) {
        return "bits_by_level is " + support::Quoted(value) +
               "; allowed: auto, uniform, or numbers from level 0 "
               "on as in 24:20:16:12:9, each 0 (no filter) or " +
               RangeText(Format::kBlocked) + ", in format compact " + RangeText(Format::kCompact);
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
  return "bits_per_key is " + support::Quoted(value) + "; allowed: " + RangeText(Format::kBlocked) +
         ", in format compact " + RangeText(Format::kCompact);
}

}  // namespace bloomline
