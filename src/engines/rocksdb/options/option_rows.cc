#include "src/engines/rocksdb/options/option_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bloomline/level_sizing.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/options/formats.h"
#include "src/support/nearest_name.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::OptionType;
using support::DoubleText;

// ---- Numbers and flags.

std::string AllowedFlags() { return "true, false"; }

template <bool RocksDBFilterOptions::*member>
bool ReadFlag(const std::string& value, RocksDBFilterOptions* options) {
  const bool is_true = value == "true" || value == "1";
  if (!is_true && value != "false" && value != "0") return false;
  options->*member = is_true;
  return true;
}

template <bool RocksDBFilterOptions::*member>
std::string FlagText(const RocksDBFilterOptions& options) {
  return options.*member ? "true" : "false";
}

template <auto member>
bool ReadNumber(const std::string& value, RocksDBFilterOptions* options) {
  return support::ParseDouble(value, &(options->*member));
}

template <auto member>
std::string NumberText(const RocksDBFilterOptions& options) {
  return DoubleText(options.*member);
}

template <auto member>
std::string WholeNumberText(const RocksDBFilterOptions& options) {
  return std::to_string(options.*member);
}

// ---- bits_per_key, format, flush_format, bloom_before_level, seed, stock_id: the filter of a
// file.

std::string AllowedBitsPerKeyText() { return filter::AllowedBitsText(Format::kBlocked); }

std::string AllowedFormats() { return filter::NamesOfFormats(&filter::FormatRow::in_rocksdb); }

// Returns what is wrong with the bits per key and the seed in this format, or with the format, or
// an empty string.
std::string WrongInFormat(const RocksDBFilterOptions& all, Format of_files) {
  FilterOptions options = all;
  options.format = of_files;
  options.bits_per_key = BitsAsInRocksDB(all.bits_per_key);
  // Any number is right if there are no filters.
  if (options.bits_per_key == 0) options.bits_per_key = FilterOptions().bits_per_key;
  if (filter::IsKnown(options.format) && !filter::RowOf(options.format).in_rocksdb) {
    return std::string("format is ") + FormatName(options.format) +
           ", which is written in LevelDB only; allowed: " + AllowedFormats() +
           (options.format == Format::kCompact ? " (ribbon takes the place of compact)" : "");
  }
  const bool is_seeded = options.seed != 0 || options.random_seed;
  if (filter::IsStock(options.format) && is_seeded) {
    return std::string(options.random_seed ? "random_seed is set and " : "") + "format is " +
           FormatName(options.format) + ", whose hash takes no seed; allowed: blocked";
  }
  return options.Validate();
}

std::string CheckFilter(const RocksDBFilterOptions& options) {
  return WrongInFormat(options, options.format);
}

// Also takes compact, for which ReplaceCompact puts another format.
bool ReadFormatTo(const std::string& value, Format* result) {
  const std::optional<Format> format = filter::FormatNamed(value);
  if (!format || !(filter::RowOf(*format).in_rocksdb || *format == Format::kCompact)) return false;
  *result = *format;
  return true;
}

bool ReadFormat(const std::string& value, RocksDBFilterOptions* options) {
  return ReadFormatTo(value, &options->format);
}

std::string FormatText(const RocksDBFilterOptions& options) { return FormatName(options.format); }

// Flushed files have the format of all others.
constexpr char kSame[] = "same";

std::string AllowedFlushFormats() { return AllowedFormats() + ", " + kSame; }

bool ReadFlushFormat(const std::string& value, RocksDBFilterOptions* options) {
  Format format = Format::kBlocked;
  if (value != kSame && !ReadFormatTo(value, &format)) return false;
  options->flush_format = value == kSame ? std::nullopt : std::optional(format);
  return true;
}

std::string CheckFlushFormat(const RocksDBFilterOptions& options) {
  if (!options.flush_format.has_value()) return "";
  const std::string wrong = WrongInFormat(options, *options.flush_format);
  return wrong.empty() ? "" : "with flush_format, " + wrong;
}

std::string FlushFormatText(const RocksDBFilterOptions& options) {
  return options.flush_format.has_value() ? FormatName(*options.flush_format) : kSame;
}

std::string AllowedBloomLevels() { return "-1 to " + std::to_string(kMaxLevels); }

bool ReadBloomBeforeLevel(const std::string& value, RocksDBFilterOptions* options) {
  uint64_t number = 0;
  const bool is_none = value == "-1";
  if (!is_none && (!support::ParseUint64(value, &number) || number > kMaxLevels)) return false;
  options->bloom_before_level = is_none ? -1 : static_cast<int>(number);
  return true;
}

std::string CheckBloomBeforeLevel(const RocksDBFilterOptions& options) {
  const int level = options.bloom_before_level;
  if (level == -1) return "";
  const std::string start = "bloom_before_level is " + std::to_string(level);
  if (level < -1 || level > kMaxLevels) return start + "; allowed: " + AllowedBloomLevels();
  if (!filter::RowOf(options.format).takes_bloom_level()) {
    return start + " and format is " + FormatName(options.format) + "; allowed: ribbon";
  }
  if (!options.flush_format.has_value()) return "";
  return start + " and flush_format is " + FormatName(*options.flush_format) +
         "; allowed: one of the two";
}

// The value of random_seed in OPTIONS files. Only the filters record the seeds.
constexpr char kRandomSeed[] = "random";

std::string AllowedSeeds() { return std::string("0 to 2^64 - 1, ") + kRandomSeed; }

bool ReadSeed(const std::string& value, RocksDBFilterOptions* options) {
  options->random_seed = value == kRandomSeed;
  if (!options->random_seed) return support::ParseUint64(value, &options->seed);
  options->seed = 0;
  return true;
}

std::string SeedText(const RocksDBFilterOptions& options) {
  return options.random_seed ? kRandomSeed : std::to_string(options.seed);
}

std::string CheckStockId(const RocksDBFilterOptions& options) {
  for (const Format format : {options.format, options.flush_format.value_or(options.format)}) {
    if (!options.stock_id || filter::IsStock(format)) continue;
    return std::string("stock_id is true and files have filters of format ") + FormatName(format) +
           ", which RocksDB's own policy does not use; allowed: bloom, ribbon";
  }
  return "";
}

// ---- bits_by_level.

constexpr char kUniform[] = "uniform";
constexpr char kAutoLevels[] = "auto";

std::string AllowedBitsByLevel() {
  return "auto, uniform, or numbers from level 0 on as in 24:20:16:12:9, each 0 (no filter) or " +
         AllowedBitsPerKeyText();
}

bool ReadBitsByLevel(const std::string& value, RocksDBFilterOptions* options) {
  // RocksDB's own lists have colons. Users also write commas.
  constexpr char kSeparators[] = ":,";
  std::vector<double> bits;
  if (value != kUniform && value != kAutoLevels) {
    for (size_t begin = 0; begin <= value.size();) {
      const size_t end = std::min(value.find_first_of(kSeparators, begin), value.size());
      double number;
      if (!support::ParseDouble(std::string_view(value).substr(begin, end - begin), &number)) {
        return false;
      }
      bits.push_back(number);
      begin = end + 1;
    }
  }
  options->auto_bits_by_level = value == kAutoLevels;
  options->bits_by_level = std::move(bits);
  return true;
}

std::string CheckBitsByLevel(const RocksDBFilterOptions& options) {
  const std::vector<double>& bits = options.bits_by_level;
  if (bits.size() > kMaxLevels) {
    return "bits_by_level has " + std::to_string(bits.size()) + " numbers; allowed: at most " +
           std::to_string(kMaxLevels);
  }
  if (options.auto_bits_by_level && !bits.empty()) {
    return "auto_bits_by_level is set and bits_by_level has numbers; allowed: one of the two";
  }
  for (size_t level = 0; level < bits.size(); ++level) {
    // Flushes go to level 0, and so do some compactions.
    Format format = options.format;
    if (level == 0 && filter::IsAllowed(format, bits[level])) {
      format = options.flush_format.value_or(format);
    }
    if (bits[level] == 0 || filter::IsAllowed(format, bits[level])) continue;
    return "bits_by_level has " + DoubleText(bits[level]) + " for level " + std::to_string(level) +
           "; allowed: " + filter::AllowedBitsText(format) + " in format " + FormatName(format) +
           ", and 0 for no filter";
  }
  return "";
}

std::string BitsByLevelText(const RocksDBFilterOptions& options) {
  if (options.auto_bits_by_level) return kAutoLevels;
  if (options.bits_by_level.empty()) return kUniform;
  std::string text;
  for (const double bits : options.bits_by_level) {
    if (!text.empty()) text += ':';
    text += DoubleText(bits);
  }
  return text;
}

// ---- memory, max_filter_bytes.

std::string AllowedSizes() { return support::kAllowedSizes; }

template <auto member>
bool ReadSize(const std::string& value, RocksDBFilterOptions* options) {
  return support::ParseSize(value, &(options->*member));
}

std::string WrongLimit(const char* name, uint64_t bytes) {
  if (bytes <= support::kMaxBytes) return "";
  return std::string(name) + " is " + std::to_string(bytes) + "; allowed: 0 to 2^60";
}

std::string CheckMemory(const RocksDBFilterOptions& options) {
  // The structs that listeners get differ between the versions of an interface, so these have no
  // FilterAccount.
  if (kIsForProgram && options.memory_bytes != 0) {
    return "memory is " + std::to_string(options.memory_bytes) +
           "; allowed: 0 in programs that bundle RocksDB";
  }
  if (options.memory_bytes == 0 || options.bits_by_level.empty()) {
    return WrongLimit("memory", options.memory_bytes);
  }
  return "memory is " + std::to_string(options.memory_bytes) +
         " and bits_by_level has numbers; allowed: one of the two";
}

std::string CheckMaxFilterBytes(const RocksDBFilterOptions& options) {
  const uint64_t bytes = options.max_filter_bytes;
  for (const Format format : {options.format, options.flush_format.value_or(options.format)}) {
    if (bytes == 0 || !filter::IsStock(format)) continue;
    return "max_filter_bytes is " + std::to_string(bytes) + " and files have filters of format " +
           FormatName(format) +
           ", whose bits RocksDB sets before it knows the number of keys; allowed: blocked";
  }
  return WrongLimit("max_filter_bytes", bytes);
}

// ---- The rows.

// Does not compile if the list has no such option.
constexpr const filter::PolicyOption& Option(std::string_view name) {
  return *filter::FindOption(filter::kPolicyOptions, name);
}

using Fields = RocksDBFilterOptions;
constexpr OptionRows kRows = {{
    {Option("bits_per_key"), OptionType::kDouble, AllowedBitsPerKeyText,
     ReadNumber<&Fields::bits_per_key>, CheckFilter, NumberText<&Fields::bits_per_key>},
    {Option("format"), OptionType::kString, AllowedFormats, ReadFormat, nullptr, FormatText},
    {Option("seed"), OptionType::kUInt64T, AllowedSeeds, ReadSeed, nullptr, SeedText},
    {Option("bits_by_level"), OptionType::kString, AllowedBitsByLevel, ReadBitsByLevel,
     CheckBitsByLevel, BitsByLevelText},
    {Option("flush_format"), OptionType::kString, AllowedFlushFormats, ReadFlushFormat,
     CheckFlushFormat, FlushFormatText},
    {Option("bloom_before_level"), OptionType::kInt, AllowedBloomLevels, ReadBloomBeforeLevel,
     CheckBloomBeforeLevel, WholeNumberText<&Fields::bloom_before_level>},
    {Option("filters_at_bottom"), OptionType::kBoolean, AllowedFlags,
     ReadFlag<&Fields::filters_at_bottom>, nullptr, FlagText<&Fields::filters_at_bottom>},
    {Option("stock_id"), OptionType::kBoolean, AllowedFlags, ReadFlag<&Fields::stock_id>,
     CheckStockId, FlagText<&Fields::stock_id>},
    {Option("memory"), OptionType::kUInt64T, AllowedSizes, ReadSize<&Fields::memory_bytes>,
     CheckMemory, WholeNumberText<&Fields::memory_bytes>},
    {Option("max_filter_bytes"), OptionType::kUInt64T, AllowedSizes,
     ReadSize<&Fields::max_filter_bytes>, CheckMaxFilterBytes,
     WholeNumberText<&Fields::max_filter_bytes>},
}};

constexpr bool HasOrderOfList() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (&kRows[i].option != &filter::kPolicyOptions[i]) return false;
  }
  return true;
}
static_assert(HasOrderOfList(), "an option has no row, or is in another place");

}  // namespace

const OptionRows& AllOptionRows() { return kRows; }

std::string SetOption(std::string_view name, const std::string& value,
                      RocksDBFilterOptions* options) {
  for (const OptionRow& row : AllOptionRows()) {
    if (row.option.name != name) continue;
    if (row.read(value, options)) return "";
    return std::string(name) + " is " + support::Quoted(value) + "; allowed: " + row.allowed();
  }
  std::string list;
  std::vector<std::string> names;
  for (const filter::PolicyOption& option : filter::kPolicyOptions) {
    names.emplace_back(option.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string meant = support::NearestName(name, names);
  return "there is no option " + support::Quoted(name) + "; allowed: " + list +
         (meant.empty() ? "" : "; did you mean '" + meant + "'?");
}

}  // namespace bloomline::engine

namespace bloomline {

std::string RocksDBFilterOptions::Validate() const {
  std::string error;
  for (const engine::OptionRow& row : engine::AllOptionRows()) {
    if (row.check != nullptr && error.empty()) error = row.check(*this);
  }
  return error;
}

}  // namespace bloomline
