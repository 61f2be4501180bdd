#include "src/engines/preload/settings.h"

#include <errno.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "src/filter/layouts/formats.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::preload {
namespace {

std::string Wrong(const char* name, const char* value, const std::string& allowed) {
  return std::string(name) + " is " + support::Quoted(value) + "; allowed: " + allowed;
}

constexpr char kStock[] = "stock";

std::string ParseFormat(const char* value, Engine engine, Settings* settings) {
  const bool is_rocksdb = engine == Engine::kRocksDB;
  settings->is_stock = is_rocksdb && std::strcmp(value, kStock) == 0;
  if (settings->is_stock) return "";
  std::string allowed;
  for (const Format format :
       {Format::kBlocked, Format::kCompact, Format::kClassic, Format::kBloom, Format::kRibbon}) {
    if (is_rocksdb ? format == Format::kClassic : filter::IsStock(format)) continue;
    settings->options.format = format;
    if (std::strcmp(value, FormatName(format)) == 0) return "";
    allowed += std::string(allowed.empty() ? "" : ", ") + FormatName(format);
  }
  return Wrong("BLOOMLINE_FORMAT", value, allowed + (is_rocksdb ? ", stock" : ""));
}

const char* FormatText(const Settings& settings) {
  return settings.is_stock ? kStock : FormatName(settings.options.format);
}

// In the range of BLOOMLINE_FORMAT.
std::string ParseBitsPerKey(const char* value, Settings* settings) {
  settings->has_bits_per_key = true;
  const Format format = settings->options.format;
  double& bits_per_key = settings->options.bits_per_key;
  if (support::ParseDouble(value, &bits_per_key) && filter::IsAllowed(format, bits_per_key)) {
    return "";
  }
  return Wrong("BLOOMLINE_BITS_PER_KEY", value,
               filter::AllowedBitsText(format) + " in format " + FormatText(*settings));
}

std::string ParseSeed(const char* value, Engine engine, Settings* settings) {
  constexpr char kRandom[] = "random";
  const bool takes_random = engine == Engine::kRocksDB;
  bool& random_seed = settings->options.random_seed;
  random_seed = takes_random && std::strcmp(value, kRandom) == 0;
  uint64_t& seed = settings->options.seed;
  if (!random_seed && !support::ParseUint64(value, &seed)) {
    return Wrong("BLOOMLINE_SEED", value,
                 std::string("0 to 2^64 - 1") + (takes_random ? ", random" : ""));
  }
  if ((random_seed || seed != 0) && !filter::TakesSeed(settings->options.format)) {
    return Wrong(
        "BLOOMLINE_SEED", value,
        std::string("0 in format ") + FormatText(*settings) + ", whose hash takes no seed");
  }
  return "";
}

std::string ParseVerbose(const char* value, Settings* settings) {
  settings->verbose = std::strcmp(value, "1") == 0;
  if (settings->verbose || std::strcmp(value, "0") == 0) return "";
  return Wrong("BLOOMLINE_VERBOSE", value, "0, 1");
}

// '%' is reserved for parts of the path that differ between processes.
std::string ParseMetrics(const char* value, Settings* settings) {
  settings->metrics = value;
  const bool is_wrong =
      settings->metrics.empty() || settings->metrics.find('%') != std::string::npos;
  return is_wrong ? Wrong("BLOOMLINE_METRICS", value, "the path of a file, without '%'") : "";
}

std::string ParseMetricsSeconds(const char* value, Settings* settings) {
  constexpr uint64_t kMaxSeconds = 86400;
  uint64_t seconds = 0;
  if (!support::ParseUint64(value, &seconds) || seconds == 0 || seconds > kMaxSeconds) {
    return Wrong("BLOOMLINE_METRICS_SECONDS", value, "1 to " + std::to_string(kMaxSeconds));
  }
  settings->metrics_seconds = static_cast<int>(seconds);
  return "";
}

}  // namespace

std::string Settings::Parse(const Environment& set, Engine engine, Settings* settings) {
  settings->is_stock = engine == Engine::kRocksDB;
  if (settings->is_stock) settings->options.format = Format::kBloom;
  std::string error;
  if (set.verbose != nullptr) error = ParseVerbose(set.verbose, settings);
  if (set.format != nullptr && error.empty()) error = ParseFormat(set.format, engine, settings);
  if (set.bits_per_key != nullptr && error.empty()) {
    error = ParseBitsPerKey(set.bits_per_key, settings);
  }
  if (set.seed != nullptr && error.empty()) error = ParseSeed(set.seed, engine, settings);
  if (set.metrics != nullptr && error.empty()) error = ParseMetrics(set.metrics, settings);
  if (set.metrics_seconds != nullptr && error.empty()) {
    error = ParseMetricsSeconds(set.metrics_seconds, settings);
  }
  return error;
}

std::string Describe(const FilterOptions& options) {
  std::string text = std::string(FormatName(options.format)) + ", " +
                     support::DoubleText(options.bits_per_key) + " bits per key";
  if (options.random_seed) return text + ", a random seed in each filter";
  if (options.seed != 0) text += ", a seed of your own";
  return text;
}

void SayOnceThatOwnFiltersStay(const char* engine, const char* reason) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr, "bloomline: %s; %s keeps its own %s filters\n", reason,
               program_invocation_short_name, engine);
}

void SayOnceWhatIsActive(const char* engine, const char* policy) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr, "bloomline: %s filters of %s: %s\n", engine, program_invocation_short_name,
               policy);
}

}  // namespace bloomline::preload
