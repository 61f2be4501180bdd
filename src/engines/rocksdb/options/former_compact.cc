#include "src/engines/rocksdb/options/former_compact.h"

#include <atomic>
#include <cstdio>
#include <optional>
#include <string_view>

#include "src/engines/rocksdb/options/option_rows.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::engine {
namespace {

constexpr Format kSuccessor = Format::kRibbon;

constexpr char kBitsPerKey[] = "bits_per_key";
constexpr char kBitsByLevel[] = "bits_by_level";

// Returns what is wrong with the bits in format compact, or an empty string.
std::string CheckBits(const RocksDBFilterOptions& options) {
  if (WritesFilters(options)) {
    const FilterOptions compact{Format::kCompact, BitsAsInRocksDB(options.bits_per_key)};
    const std::string wrong = compact.Validate();
    if (!wrong.empty()) {
      return (options.format == Format::kCompact ? "" : "with flush_format, ") + wrong;
    }
  }
  for (const OptionRow& row : AllOptionRows()) {
    if (std::string_view(row.option.name) == kBitsByLevel) return row.check(options);
  }
  return "";
}

// Returns the options of `one` that `other` has otherwise: "bits_per_key=7.5, format=compact". The
// seed may be a secret.
std::string Differences(const RocksDBFilterOptions& one, const RocksDBFilterOptions& other) {
  std::string text;
  for (const OptionRow& row : AllOptionRows()) {
    std::string value = row.text(one);
    if (value == row.text(other)) continue;
    if (row.option.name == std::string_view("seed") && one.seed != 0) value = "...";
    text += (text.empty() ? "" : ", ") + std::string(row.option.name) + "=" + value;
  }
  return text;
}

std::string SaidOnce(const std::string& remark, std::atomic<bool>* is_said) {
  if (!is_said->exchange(true)) std::fprintf(stderr, "%s\n", remark.c_str());
  return remark;
}

}  // namespace

std::string ReplaceCompact(const OptionMap& texts, Format before, RocksDBFilterOptions* options,
                           std::string* meaning) {
  const bool is_compact = options->format == Format::kCompact;
  if (!is_compact && options->flush_format != Format::kCompact) return "";
  // The bits of a policy with Ribbon filters stay where the texts give no others.
  const auto stay = [&](const char* name) {
    return is_compact && before == kSuccessor && texts.count(name) == 0;
  };
  RocksDBFilterOptions read = *options;
  if (stay(kBitsPerKey)) read.bits_per_key = RocksDBFilterOptions().bits_per_key;
  if (stay(kBitsByLevel)) read.bits_by_level.clear();
  const std::string wrong = CheckBits(read);
  if (!wrong.empty()) return wrong;
  read = *options;
  if (!is_compact) {
    options->flush_format = kSuccessor;  // with the bits of the others: less memory
  } else {
    options->format = kSuccessor;
    // The bits are now Ribbon's. Flushed files of another format would take half as much memory
    // again.
    options->flush_format = std::nullopt;
    if (!stay(kBitsPerKey) && WritesFilters(read)) {
      options->bits_per_key = filter::RibbonBitsOfCompact(BitsAsInRocksDB(read.bits_per_key));
    }
    for (double& bits : options->bits_by_level) {
      if (!stay(kBitsByLevel)) bits = filter::RibbonBitsOfCompact(bits);
    }
  }
  // RocksDB's own filters take none of these.
  options->seed = 0;
  options->random_seed = false;
  options->max_filter_bytes = 0;
  *meaning = Differences(read, *options) + " now means " + Differences(*options, read);
  return "";
}

std::string CompactRemark(const std::string& meaning) {
  if (meaning.empty()) return "";
  static std::atomic<bool> is_said{false};
  return SaidOnce("bloomline: the filter policy's " + meaning +
                      ": ribbon takes the place of compact since bloomline 0.4",
                  &is_said);
}

std::string FormerCompactRemark() {
  static std::atomic<bool> is_said{false};
  return SaidOnce(
      "bloomline: a table has a compact filter of bloomline before 0.4, which matches every key: "
      "compactions and `bloomline db rewrite` give tables new filters",
      &is_said);
}

}  // namespace bloomline::engine
