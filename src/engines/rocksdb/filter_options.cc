#include "src/engines/rocksdb/filter_options.h"

#include "src/engines/rocksdb/ranges/range_options.h"
#include "src/filter/container/trailer.h"
#include "src/filter/keys/canonical_keys.h"
#include "src/support/error_text.h"

namespace bloomline {
namespace {

constexpr double kNoFilterBelow = 0.5;
constexpr int kMinLevels = 2;
constexpr double kMaxLevelSizeRatio = 1000;

bool IsAllowed(double bits, const BitsPerKeyRange& allowed) {
  return bits == 0 || (bits >= allowed.min && bits <= allowed.max);
}

void CheckFlushFormat(const RocksDBFilterOptions& options, support::ErrorText* error) {
  if (!options.flush_format.has_value()) return;
  FilterOptions flushed = Normalized(options);
  flushed.format = *options.flush_format;
  const std::string wrong = filter::ValidateForTrailer(flushed);
  if (!wrong.empty()) *error << "with flush_format, " << std::string_view(wrong);
}

void CheckBitsByLevel(const RocksDBFilterOptions& options, support::ErrorText* error) {
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

void CheckCanonicalizer(const RocksDBFilterOptions& options, support::ErrorText* error) {
  if (options.canonicalizer == nullptr) return;
  filter::CheckCanonicalizerName(options.canonicalizer->Name(), error);
}

void CheckRanges(const RocksDBFilterOptions& options, support::ErrorText* error) {
  RangeSettings unused;
  *error << std::string_view(ReadRangeSettings(options, &unused));
}

void CheckLevels(const RocksDBFilterOptions& options, support::ErrorText* error) {
  if (options.num_levels != 0 &&
      (options.num_levels < kMinLevels || options.num_levels > RocksDBFilterOptions::kMaxLevels)) {
    *error << "num_levels is " << options.num_levels << "; allowed: " << kMinLevels << " to "
           << RocksDBFilterOptions::kMaxLevels << ", and 0 to learn it from the files";
  } else if (!(options.level_size_ratio >= 1 && options.level_size_ratio <= kMaxLevelSizeRatio)) {
    *error << "level_size_ratio is ";
    error->AppendExactly(options.level_size_ratio);
    *error << "; allowed: 1 to " << kMaxLevelSizeRatio;
  }
}

}  // namespace

bool WritesFilters(const FilterOptions& options) { return options.bits_per_key >= kNoFilterBelow; }

FilterOptions Normalized(FilterOptions options) {
  if (options.bits_per_key >= 0 && options.bits_per_key < kNoFilterBelow) {
    options.bits_per_key = FilterOptions().bits_per_key;  // valid, and not used
  } else if (options.bits_per_key >= kNoFilterBelow && options.bits_per_key < kMinBitsPerKey) {
    options.bits_per_key = kMinBitsPerKey;
  }
  return options;
}

std::string RocksDBFilterOptions::Validate() const {
  support::ErrorText error;
  error << std::string_view(filter::ValidateForTrailer(Normalized(*this)));
  for (const auto check :
       {CheckFlushFormat, CheckBitsByLevel, CheckLevels, CheckCanonicalizer, CheckRanges}) {
    if (error.empty()) check(*this, &error);
  }
  return error.str();
}

}  // namespace bloomline
