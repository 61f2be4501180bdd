#include "src/engines/preload/settings.h"

#include <errno.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "src/filter/options/formats.h"
#include "src/support/nearest_name.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::preload {
namespace {

constexpr char kStock[] = "stock";
// The ratio of the levels' sizes, which filters by level do not need any more.
constexpr char kFormerVariable[] = "BLOOMLINE_LEVEL_SIZE_RATIO";

std::string Wrong(Variable variable, const char* value, const std::string& allowed) {
  return std::string(kVariableNames[variable]) + " is " + support::Quoted(value) +
         "; allowed: " + allowed;
}

std::string NotAffected(const std::string& text, const std::string& filters) {
  return text + "; " + program_invocation_short_name + "'s " + filters + " are not affected";
}

// A sentence about a variable that changes nothing else.
void Remark(const std::string& text, Settings* settings) {
  settings->remarks.push_back(NotAffected(text, "filters"));
}

void RemarkOfEngine(const std::string& text, Settings* settings) {
  const std::string filters = std::string(EngineName(settings->engine)) + " filters";
  settings->engine_remarks.push_back(NotAffected(text, filters));
}

// ---- Variables of the filters. Each function returns an empty string, or what is wrong.

std::string ParseFormat(const char* value, Settings* settings) {
  const bool is_rocksdb = settings->engine == Engine::kRocksDB;
  if (std::strcmp(value, kStock) == 0) return "";
  const auto has_engine =
      is_rocksdb ? &filter::FormatRow::in_rocksdb : &filter::FormatRow::in_leveldb;
  const std::optional<Format> format = filter::FormatNamed(value);
  // RocksDB had kCompact, too; rocksdb_policy.cc replaces it.
  if (format && (filter::RowOf(*format).*has_engine || *format == Format::kCompact)) {
    settings->options.format = *format;
    settings->is_stock = *format == Format::kClassic;
    return "";
  }
  settings->options.format = Format::kBlocked;  // what was meant may take the seed
  return Wrong(kFormat, value, filter::NamesOfFormats(has_engine) + ", " + kStock);
}

const char* FormatText(const Settings& settings) {
  const Format format = settings.options.format;
  return settings.is_stock && format != Format::kClassic ? kStock : FormatName(format);
}

// The range is that of BLOOMLINE_FORMAT.
std::string ParseBitsPerKey(const char* value, Settings* settings) {
  settings->has_bits_per_key = true;
  const Format format = settings->options.format;
  double& bits_per_key = settings->options.bits_per_key;
  if (support::ParseDouble(value, &bits_per_key) && filter::IsAllowed(format, bits_per_key)) {
    return "";
  }
  return Wrong(kBitsPerKey, value,
               filter::AllowedBitsText(format) + " in format " + FormatText(*settings));
}

// In LevelDB, the seed is part of the policy's name, so a program queries either the filters with
// this seed or those without one. RocksDB's filters record it.
std::string ParseSeed(const char* value, Settings* settings) {
  constexpr char kRandom[] = "random";
  const bool is_rocksdb = settings->engine == Engine::kRocksDB;
  bool& random_seed = settings->options.random_seed;
  random_seed = is_rocksdb && std::strcmp(value, kRandom) == 0;
  uint64_t& seed = settings->options.seed;
  if (!random_seed && !support::ParseUint64(value, &seed)) {
    if (!is_rocksdb) settings->queried = Queried::kAllWithoutSeed;
    return Wrong(kSeed, value, std::string("0 to 2^64 - 1") + (is_rocksdb ? ", random" : ""));
  }
  if (!random_seed && seed == 0) return "";
  const bool is_taken = filter::IsOwn(settings->options.format);
  if (!is_rocksdb) {
    settings->queried = is_taken ? Queried::kAllWithThisSeed : Queried::kAllWithoutSeed;
  }
  if (is_taken) return "";
  seed = 0;
  return Wrong(kSeed, value,
               std::string("0 in format ") + FormatText(*settings) + ", whose hash takes no seed" +
                   (is_rocksdb ? "" : " (BLOOMLINE_FORMAT=blocked queries filters with it)"));
}

// ---- Other variables.

void ParseVerbose(const char* value, Settings* settings) {
  settings->verbose = std::strcmp(value, "1") == 0;
  if (settings->verbose || std::strcmp(value, "0") == 0) return;
  Remark(Wrong(kVerbose, value, "0, 1") + "; 0 is used", settings);
}

void ParseMetrics(std::string_view value, Settings* settings) {
  constexpr std::string_view kEnd = ".prom";
  // '%' is reserved for parts of the path that differ between processes.
  if (value.empty() || value.find('%') != std::string::npos) {
    Remark(Wrong(kMetrics, value.data(), "the path of a file, without '%'") +
               "; no metrics are written",
           settings);
    return;
  }
  settings->metrics = value;
  if (value.size() > kEnd.size() && value.substr(value.size() - kEnd.size()) == kEnd) return;
  Remark(std::string(kVariableNames[kMetrics]) + " is " + support::Quoted(value) +
             "; node_exporter reads only files whose names end in " + std::string(kEnd),
         settings);
}

void ParseMetricsSeconds(const char* value, Settings* settings) {
  constexpr uint64_t kMaxSeconds = 86400;
  uint64_t seconds = 0;
  if (support::ParseUint64(value, &seconds) && seconds != 0 && seconds <= kMaxSeconds) {
    settings->metrics_seconds = static_cast<int>(seconds);
    return;
  }
  Remark(Wrong(kMetricsSeconds, value, "1 to " + std::to_string(kMaxSeconds)) + "; " +
             std::to_string(settings->metrics_seconds) + " is used",
         settings);
}

void RemarkOnRocksDBOnly(Variable variable, Settings* settings) {
  RemarkOfEngine(std::string(kVariableNames[variable]) + " is for RocksDB only", settings);
}

// Says which known variable was probably meant, or that an earlier version read this one.
void RemarkUnknown(const std::string& name, Settings* settings) {
  if (name == kFormerVariable) {
    Remark(name + " has no effect since bloomline 0.4", settings);
    return;
  }
  constexpr size_t kPrefixBytes = sizeof(kVariablePrefix) - 1;
  std::vector<std::string> ends;
  std::string known;
  for (const char* const variable : kVariableNames) {
    ends.emplace_back(variable + kPrefixBytes);
    known += std::string(known.empty() ? "" : ", ") + variable;
  }
  const std::string meant = support::NearestName(name.substr(kPrefixBytes), ends);
  Remark("no preload library reads " + support::Quoted(name) +
             (meant.empty() ? "; known: " + known
                            : " (did you mean " + std::string(kVariablePrefix) + meant + "?)"),
         settings);
}

}  // namespace

// Both libraries have it: the dynamic linker gives a process the first that is preloaded.
extern "C" {
__attribute__((visibility("default"))) std::atomic_flag bloomline_preload_remarks_said =
    ATOMIC_FLAG_INIT;
}

Settings Settings::Parse(const Environment& environment, Engine engine) {
  Settings settings(engine);
  const auto parse = [&](Variable variable, auto function) {
    const char* const value = environment.values[variable];
    if (value != nullptr) function(value, &settings);
  };
  const auto parse_of_filters = [&](Variable variable, auto function) {
    const char* const value = environment.values[variable];
    const std::string wrong = value == nullptr ? "" : function(value, &settings);
    settings.wrong += (settings.wrong.empty() || wrong.empty() ? "" : "; ") + wrong;
  };
  parse(kVerbose, ParseVerbose);
  parse_of_filters(kFormat, ParseFormat);
  if (settings.wrong.empty()) parse_of_filters(kBitsPerKey, ParseBitsPerKey);
  parse_of_filters(kSeed, ParseSeed);
  if (engine == Engine::kRocksDB) {
    settings.bits_by_level = environment.values[kBitsByLevel];
    settings.flush_format = environment.values[kFlushFormat];
    settings.bloom_before_level = environment.values[kBloomBeforeLevel];
  } else {
    for (const Variable variable : {kBitsByLevel, kFlushFormat, kBloomBeforeLevel}) {
      parse(variable, [=](const char*, Settings* of) { RemarkOnRocksDBOnly(variable, of); });
    }
  }
  parse(kMetrics, ParseMetrics);
  parse(kMetricsSeconds, ParseMetricsSeconds);
  const char* const* name = environment.unknown_names;
  for (; name != nullptr && *name != nullptr; ++name) RemarkUnknown(*name, &settings);
  if (!settings.wrong.empty()) settings.KeepOwnFilters();
  return settings;
}

void Settings::KeepOwnFilters() {
  is_stock = true;
  has_bits_per_key = false;
  bits_by_level = nullptr;
  flush_format = nullptr;
  bloom_before_level = nullptr;
  options.format = engine == Engine::kRocksDB ? filter::kRocksDBDefault : filter::kLevelDBDefault;
  options.random_seed = false;
}

std::string Describe(const FilterOptions& options) {
  std::string text = std::string(FormatName(options.format)) + ", " +
                     support::DoubleText(options.bits_per_key) + " bits per key";
  if (options.random_seed) return text + ", a random seed in each filter";
  if (options.seed != 0) text += ", a seed of your own";
  return text;
}

void SayOnceThatOwnFiltersStay(Engine engine, const char* reason, Queried queried) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  constexpr const char* kTexts[] = {"queries all existing filters",
                                    "queries only existing filters that have this seed, none that "
                                    "LevelDB wrote without bloomline",
                                    "cannot query existing filters that have a seed",
                                    "queries no existing filters of bloomline"};
  std::fprintf(stderr, "bloomline: %s; %s %s, and new files get its own %s filters%s\n", reason,
               program_invocation_short_name, kTexts[static_cast<int>(queried)], EngineName(engine),
               queried == Queried::kAllWithThisSeed ? " under the name of this seed" : "");
}

void SayOnceWhatIsActive(Engine engine, const char* policy) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr, "bloomline: %s filters of %s: %s\n", EngineName(engine),
               program_invocation_short_name, policy);
}

void SayRemarksOnce(const Settings& settings) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::vector<std::string> remarks = settings.engine_remarks;
  if (!bloomline_preload_remarks_said.test_and_set()) {
    remarks.insert(remarks.begin(), settings.remarks.begin(), settings.remarks.end());
  }
  for (const std::string& remark : remarks) std::fprintf(stderr, "bloomline: %s\n", remark.c_str());
}

}  // namespace bloomline::preload
