#include "src/engines/rocksdb/options/format_options.h"

#include <string_view>

#include "src/engines/rocksdb/options/option_values.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/limits.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using support::ErrorText;

std::string RangeText(Format format) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return support::DoubleText(allowed.min) + " to " + support::DoubleText(allowed.max);
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

// Flushed files have the format of all others.
constexpr char kSame[] = "same";

// What OPTIONS files say for random_seed. The seeds themselves are in the filters alone.
constexpr char kRandomSeed[] = "random";

}  // namespace

std::string BitsPerKeyText() {
  return RangeText(Format::kBlocked) + ", in format compact " + RangeText(Format::kCompact);
}

void CheckFilter(const RocksDBFilterOptions& options, PolicySettings* settings, ErrorText* error) {
  settings->filter = Normalized(options);
  *error << std::string_view(WrongInFormat(options, settings->filter));
}

std::string ParseFormat(const std::string& value, RocksDBFilterOptions* options) {
  return ParseFormatOf("format", value, "", &options->format);
}

std::string FormatText(const RocksDBFilterOptions& options) { return FormatName(options.format); }

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

std::string ParseBitsPerKey(const std::string& value, RocksDBFilterOptions* options) {
  if (support::ParseDouble(value, &options->bits_per_key)) return "";
  return Wrong("bits_per_key", value, BitsPerKeyText());
}

}  // namespace bloomline
