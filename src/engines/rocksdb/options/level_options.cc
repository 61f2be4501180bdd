#include "src/engines/rocksdb/options/level_options.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomline/level_sizing.h"
#include "src/engines/rocksdb/options/format_options.h"
#include "src/engines/rocksdb/options/option_values.h"
#include "src/filter/layouts/limits.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using support::ErrorText;

constexpr int kMinLevels = 2;
constexpr char kUniform[] = "uniform";
constexpr char kAutoLevels[] = "auto";

// RocksDB's own lists have colons. Commas are what people write.
constexpr char kSeparators[] = ":,";

bool IsAllowed(double bits, const BitsPerKeyRange& allowed) {
  return bits == 0 || (bits >= allowed.min && bits <= allowed.max);
}

}  // namespace

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
  constexpr int kMost = RocksDBFilterOptions::kMaxLevels;
  if (num_levels == 0 || (num_levels >= kMinLevels && num_levels <= kMost)) return;
  *error << "num_levels is " << num_levels << "; allowed: " << kMinLevels << " to " << kMost
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

std::string ParseFiltersAtBottom(const std::string& value, RocksDBFilterOptions* options) {
  return ParseBool("filters_at_bottom", value, &options->filters_at_bottom);
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
                         BitsPerKeyText());
      }
      bits.push_back(number);
      begin = end + 1;
    }
  }
  options->auto_bits_by_level = value == kAutoLevels;
  options->bits_by_level = std::move(bits);
  return "";
}

}  // namespace bloomline
