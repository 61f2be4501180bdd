#include "src/db/advice/instructions.h"

#include <algorithm>

#include "src/support/number_text.h"

namespace bloomline::advice {
namespace {

using support::DoubleText;

bool IsRocksDB(const Settings& settings) { return settings.engine == sstable::Engine::kRocksDB; }

// RocksDB uses it for files whose level is unknown, so it must be valid in any case.
std::string BitsPerKeyText(const Settings& settings) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(settings.format);
  return DoubleText(std::clamp(settings.bits_per_key, allowed.min, allowed.max));
}

std::string List(const std::vector<double>& bits, const char* separator) {
  std::string text;
  for (const double b : bits) text += (text.empty() ? "" : separator) + DoubleText(b);
  return text;
}

// RocksDB's ribbonfilter:N does the same: flushed files have Bloom filters, which are built faster.
constexpr char kRibbonFlushes[] = ";flush_format=bloom";

}  // namespace

std::string OptionString(const Settings& settings) {
  if (!IsRocksDB(settings)) return "";
  std::string text = std::string("{id=bloomline;format=") + FormatName(settings.format) +
                     ";bits_per_key=" + BitsPerKeyText(settings);
  if (settings.is_auto) {
    text += ";bits_by_level=auto";
    if (settings.level_size_ratio != kDefaultRatio) {
      text += ";level_size_ratio=" + DoubleText(settings.level_size_ratio);
    }
  } else if (!settings.bits_from_level_0.empty()) {
    text += ";bits_by_level=" + List(settings.bits_from_level_0, ":");
  }
  if (settings.format == Format::kRibbon) text += kRibbonFlushes;
  return text + (settings.is_stock() ? ";stock_id=true}" : "}");
}

std::string EnvironmentLine(const Settings& settings) {
  std::string text = "LD_PRELOAD=libbloomline_";
  text += IsRocksDB(settings) ? "rocksdb" : "leveldb";
  text += "_preload.so BLOOMLINE_FORMAT=";
  text += FormatName(settings.format);
  text += " BLOOMLINE_BITS_PER_KEY=" + BitsPerKeyText(settings);
  if (settings.is_auto && settings.level_size_ratio == kDefaultRatio) {
    return text + " BLOOMLINE_BITS_BY_LEVEL=auto";
  }
  if (!settings.bits_from_level_0.empty()) {
    text += " BLOOMLINE_BITS_BY_LEVEL=" + List(settings.bits_from_level_0, ":");
  }
  return text;
}

}  // namespace bloomline::advice
