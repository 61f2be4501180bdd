#include "src/filter/options/formats.h"

#include <cmath>

#include "src/support/number_text.h"

namespace bloomline {

const char* FormatName(Format format) { return filter::RowOf(format).name; }

BitsPerKeyRange AllowedBitsPerKey(Format format) { return filter::RowOf(format).bits_per_key; }

std::string FilterOptions::Validate() const {
  if (!filter::IsKnown(format)) {
    std::string error = support::StrCat("format is ", static_cast<int>(format), "; allowed: ");
    for (const filter::FormatRow& row : filter::kFormats) {
      if (&row != filter::kFormats.begin()) error += ", ";
      error += support::StrCat(static_cast<int>(row.format), " (", row.name, ")");
    }
    return error;
  }
  if (!filter::IsAllowed(format, bits_per_key)) {
    std::string error =
        support::StrCat("bits_per_key is ", support::DoubleText(bits_per_key),
                        "; allowed: ", filter::AllowedBitsText(format), " in format ",
                        FormatName(format), ", and it is bits for each key, not for the filter");
    if (std::isnan(bits_per_key)) {
      error += " (nan is also the result for a false-positive rate out of reach)";
    }
    return error;
  }
  if (random_seed && seed != 0) {
    return support::StrCat("random_seed is set and seed is ", seed,
                           "; allowed: seed 0 with random_seed, or another seed without");
  }
  if (random_seed && !filter::TakesSeed(format)) {
    return support::StrCat("random_seed is set and format is ", FormatName(format),
                           ", whose hash takes no seed; allowed: ",
                           filter::NamesOfFormats(&filter::FormatRow::is_static));
  }
  return {};
}

namespace filter {

namespace {

constexpr BitsPerKeyRange kAnyBits = {kMinBitsPerKey, kMaxBitsPerKey};
constexpr BitsPerKeyRange kCompactBits = {kMinCompactBitsPerKey, kMaxCompactBitsPerKey};

constexpr bool kInLevelDB = true, kInRocksDB = true, kIsStatic = true, kTakesSeed = true,
               kBitsAreMemory = true;

constexpr FormatRow kRows[] = {
    {Format::kClassic, "classic", "classic", kAnyBits, kInLevelDB, !kInRocksDB, !kIsStatic,
     !kTakesSeed},
    {Format::kBlocked, "blocked", "blocked", kAnyBits, kInLevelDB, kInRocksDB, kIsStatic,
     kTakesSeed},
    {Format::kCompact, "compact", "compact", kCompactBits, kInLevelDB, !kInRocksDB, !kIsStatic,
     kTakesSeed},
    {Format::kBloom, "bloom", "RocksDB Bloom", kAnyBits, !kInLevelDB, kInRocksDB, !kIsStatic,
     !kTakesSeed, kBitsAreMemory, "bloomfilter", ":false"},
    {Format::kRibbon, "ribbon", "RocksDB Ribbon", kAnyBits, !kInLevelDB, kInRocksDB, kIsStatic,
     kTakesSeed, !kBitsAreMemory, "ribbonfilter"}};

constexpr FormatRow kUnknownFormat = {Format::kBlocked, "unknown",   "unknown",  kAnyBits,
                                      !kInLevelDB,      !kInRocksDB, !kIsStatic, !kTakesSeed};

}  // namespace

constexpr FormatTable kFormats = {std::begin(kRows), std::end(kRows)};

const FormatRow& RowOf(Format format) {
  for (const FormatRow& row : kFormats) {
    if (row.format == format) return row;
  }
  return kUnknownFormat;
}

bool IsKnown(Format format) { return &RowOf(format) != &kUnknownFormat; }

std::optional<Format> FormatNamed(std::string_view name) {
  for (const FormatRow& row : kFormats) {
    if (name == row.name) return row.format;
  }
  return std::nullopt;
}

std::string NamesOfFormats(bool FormatRow::*fact) {
  std::string names;
  for (const FormatRow& row : kFormats) {
    if (!(row.*fact)) continue;
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

std::string AllowedBitsText(Format format) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return support::DoubleText(allowed.min) + " to " + support::DoubleText(allowed.max);
}

std::string ValidateStatic(const FilterOptions& options) {
  std::string error = options.Validate();
  if (error.empty() && !RowOf(options.format).is_static) {
    error = support::StrCat("format is ", FormatName(options.format), ", which is written in ",
                            RowOf(options.format).in_leveldb ? "LevelDB" : "RocksDB",
                            " only; allowed: ", NamesOfFormats(&FormatRow::is_static));
    if (options.format == Format::kCompact) error += " (ribbon takes the place of compact)";
  }
  return error;
}

}  // namespace filter
}  // namespace bloomline
