#include "src/inspect/advice/instructions.h"

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

std::string Start(const Settings& settings) {
  return std::string("{id=bloomline;format=") + FormatName(settings.format) +
         ";bits_per_key=" + BitsPerKeyText(settings);
}

}  // namespace

std::string OptionString(const Settings& settings) {
  if (!IsRocksDB(settings)) return "";
  std::string text = Start(settings);
  if (!settings.bits_from_level_0.empty()) {
    text += ";bits_by_level=" + List(settings.bits_from_level_0, ":");
  }
  return text + "}";
}

std::string AutoOptionString(const Settings& settings, double level_size_ratio) {
  if (!IsRocksDB(settings)) return "";
  std::string text = Start(settings) + ";bits_by_level=auto";
  constexpr double kDefaultRatio = 10;
  if (level_size_ratio != kDefaultRatio) {
    text += ";level_size_ratio=" + DoubleText(level_size_ratio);
  }
  return text + "}";
}

std::string EnvironmentLine(const Settings& settings) {
  std::string text = "LD_PRELOAD=/usr/local/lib/libbloomline_";
  text += IsRocksDB(settings) ? "rocksdb" : "leveldb";
  text += "_preload.so BLOOMLINE_FORMAT=";
  text += FormatName(settings.format);
  text += " BLOOMLINE_BITS_PER_KEY=" + BitsPerKeyText(settings);
  if (!settings.bits_from_level_0.empty()) {
    text += " BLOOMLINE_BITS_BY_LEVEL=" + List(settings.bits_from_level_0, ":");
  }
  return text;
}

std::string Code(const Settings& settings) {
  const bool is_rocksdb = IsRocksDB(settings);
  const bool is_by_level = !settings.bits_from_level_0.empty();
  const bool is_compact = settings.format == Format::kCompact;
  std::string text =
      std::string("bloomline::") + (is_by_level ? "RocksDBFilterOptions" : "FilterOptions") +
      " filter;\nfilter.format = bloomline::Format::" + (is_compact ? "kCompact" : "kBlocked") +
      ";\nfilter.bits_per_key = " + BitsPerKeyText(settings) + ";\n";
  if (is_by_level) {
    text += "filter.bits_by_level = {" + List(settings.bits_from_level_0, ", ") + "};\n";
  }
  if (is_rocksdb) {
    return text + "table.filter_policy = bloomline::NewRocksDBFilterPolicy(filter);\n";
  }
  return text +
         "options.filter_policy = bloomline::NewLevelDBFilterPolicy(filter);  "
         "// delete it after the database\n";
}

}  // namespace bloomline::advice
