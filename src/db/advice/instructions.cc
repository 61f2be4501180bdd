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

const char* CodeName(Format format) {
  switch (format) {
    case Format::kCompact:
      return "kCompact";
    case Format::kBloom:
      return "kBloom";
    case Format::kRibbon:
      return "kRibbon";
    default:
      return "kBlocked";
  }
}

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

std::string Code(const Settings& settings) {
  const bool is_rocksdb = IsRocksDB(settings);
  const bool is_by_level = settings.is_auto || !settings.bits_from_level_0.empty();
  std::string text = std::string("bloomline::") +
                     (is_by_level ? "RocksDBFilterOptions" : "FilterOptions") +
                     " filter;\nfilter.format = bloomline::Format::" + CodeName(settings.format) +
                     ";\nfilter.bits_per_key = " + BitsPerKeyText(settings) + ";\n";
  if (settings.is_auto) {
    text += "filter.auto_bits_by_level = true;\n";
    if (settings.level_size_ratio != kDefaultRatio) {
      text += "filter.level_size_ratio = " + DoubleText(settings.level_size_ratio) + ";\n";
    }
  } else if (is_by_level) {
    text += "filter.bits_by_level = {" + List(settings.bits_from_level_0, ", ") + "};\n";
  }
  if (settings.format == Format::kRibbon) {
    text += "filter.flush_format = bloomline::Format::kBloom;\n";
  }
  if (settings.is_stock()) text += "filter.stock_id = true;\n";
  if (is_rocksdb) {
    return text + "table.filter_policy = bloomline::NewRocksDBFilterPolicy(filter);\n";
  }
  return text +
         "// To be deleted after the database.\n"
         "options.filter_policy = bloomline::NewLevelDBFilterPolicy(filter);\n";
}

}  // namespace bloomline::advice
