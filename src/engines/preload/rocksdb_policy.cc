// libbloomline_rocksdb_preload_policy.so: the RocksDB adaptor for libbloomline_rocksdb_preload.so,
// which opens it and captures the environment.
#include "src/engines/preload/rocksdb_policy.h"

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/cpu.h"
#include "bloomline/rocksdb.h"
#include "bloomline/version.h"
#include "src/engines/preload/metrics_file.h"
#include "src/engines/preload/settings.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/layout_check.h"
#include "src/engines/rocksdb/options/former_compact.h"
#include "src/engines/rocksdb/options/option_rows.h"
#include "src/engines/rocksdb/policy.h"
#include "src/engines/rocksdb/stock/stock_named_policy.h"
#include "src/engines/rocksdb/stock/stock_names.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/options/formats.h"
#include "src/support/number_text.h"
#include "src/support/set_error.h"

namespace bloomline::preload {
namespace {

std::atomic<const Environment*> environment{nullptr};
std::atomic<bool> is_usable{false};       // set by Start
std::atomic<bool> follows_levels{false};  // set by Start

Format AskedFormat(const Asked& asked) {
  return asked.is_ribbon ? Format::kRibbon : Format::kBloom;
}

// Whether a variable says which files get Bloom filters in place of Ribbon filters. The program's
// bloom_before_level then says nothing.
bool ChoosesBloomFiles(const Settings& settings) {
  return settings.flush_format != nullptr || settings.bloom_before_level != nullptr;
}

// The options of a policy that replaces the policy asked for (docs/rocksdb.md), which AddOption and
// CompleteOptions complete. If no variable of the filters is set, RocksDB's own policy writes these
// filters.
RocksDBFilterOptions OptionsFor(const Settings& settings, const Asked& asked) {
  RocksDBFilterOptions options(settings.options);
  if (settings.is_stock) options.format = AskedFormat(asked);
  // Below 0.5 bits, also below 0, the program asks for no filters and gets none.
  RocksDBFilterOptions none = options;
  none.bits_per_key = std::fmax(0, asked.bits_per_key);
  if (!std::isnan(asked.bits_per_key) && !engine::WritesFilters(none)) return none;
  if (!settings.has_bits_per_key) options.bits_per_key = asked.bits_per_key;
  return options;
}

// Puts Ribbon filters in the place of compact ones, sets which files get Bloom filters in place of
// Ribbon ones, and gives a policy that writes RocksDB's own filters alone the name of RocksDB's.
// Returns an empty string, or what is wrong.
std::string CompleteOptions(const Settings& settings, const Asked& asked,
                            RocksDBFilterOptions* options) {
  engine::OptionMap texts;  // the bits that are not the program's
  if (settings.has_bits_per_key) texts["bits_per_key"];
  if (settings.bits_by_level != nullptr) texts["bits_by_level"];
  const bool was_compact = options->format == Format::kCompact;
  std::string unused_meaning;
  const std::string error =
      engine::ReplaceCompact(texts, AskedFormat(asked), options, &unused_meaning);
  // With bits that were compact's, Bloom filters would take more memory than compact ones.
  const bool has_compacts_bits =
      was_compact && (settings.has_bits_per_key || !options->bits_by_level.empty());
  if (asked.is_ribbon && filter::RowOf(options->format).takes_bloom_level() &&
      engine::WritesFilters(*options) && !ChoosesBloomFiles(settings) && !has_compacts_bits) {
    options->bloom_before_level = engine::AllowedBloomBeforeLevel(asked.bloom_before_level);
  }
  options->stock_id = filter::IsStock(options->format) &&
                      filter::IsStock(options->flush_format.value_or(options->format));
  return error;
}

void SayOnceThatNameIsKnown() {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr, "bloomline: RocksDB of %s knows filter_policy=bloomline\n",
               program_invocation_short_name);
}

// Adds one of the variables that only RocksDB has. Returns an empty string, or what is wrong with
// it.
std::string AddOption(const Settings& settings, const Asked& asked, Variable variable,
                      const char* name, const char* value, RocksDBFilterOptions* options) {
  if (value == nullptr || !engine::WritesFilters(*options)) return "";
  const auto wrong = [&] {
    RocksDBFilterOptions completed = *options;
    const std::string error = CompleteOptions(settings, asked, &completed);
    return error.empty() ? completed.Validate() : error;
  };
  const bool was_valid = wrong().empty();
  std::string error = engine::SetOption(name, value, options);
  if (error.empty() && was_valid) error = wrong();
  return error.empty() ? error : std::string(kVariableNames[variable]) + ": " + error;
}

std::string AddRocksDBsOptions(const Settings& settings, const Asked& asked,
                               RocksDBFilterOptions* options) {
  std::string error;
  const auto add = [&](Variable variable, const char* name, const char* value) {
    if (error.empty()) error = AddOption(settings, asked, variable, name, value, options);
  };
  add(kBitsByLevel, "bits_by_level", settings.bits_by_level);
  add(kFlushFormat, "flush_format", settings.flush_format);
  add(kBloomBeforeLevel, "bloom_before_level", settings.bloom_before_level);
  return error;
}

// The policy that the program asked for: RocksDB's.
std::unique_ptr<const rocksdb::FilterPolicy> NewStockPolicy(const Asked& asked) {
  return std::unique_ptr<const rocksdb::FilterPolicy>(
      asked.is_ribbon ? rocksdb::NewRibbonFilterPolicy(asked.bits_per_key, asked.bloom_before_level)
                      : rocksdb::NewBloomFilterPolicy(asked.bits_per_key));
}

// "ribbon, 14.5 bits per key, flushed files bloom"
std::string WrittenText(const Settings& settings, const RocksDBFilterOptions& options) {
  std::string text = Describe(options);
  if (options.flush_format.has_value()) {
    text += std::string(", flushed files ") + FormatName(*options.flush_format);
  }
  if (options.bloom_before_level == 0) text += ", flushed files bloom";
  if (options.bloom_before_level > 0) {
    text += ", bloom before level " + std::to_string(options.bloom_before_level);
  }
  if (settings.bits_by_level != nullptr) {
    for (const engine::OptionRow& row : engine::AllOptionRows()) {
      if (row.option.name == std::string_view("bits_by_level")) {
        text += ", by level " + row.text(options);
      }
    }
    // The policy is made before the column family, whose style may be another.
    if (options.auto_bits_by_level) {
      text += engine::kIsForProgram ? " with level compaction" : " except with FIFO compaction";
    }
  }
  return text;
}

// The text that BLOOMLINE_VERBOSE shows of a policy.
std::string ActiveText(const Settings& settings, const RocksDBFilterOptions& options) {
  return (settings.WritesOwnFilters() ? "stock, written by RocksDB's own policy"
                                      : WrittenText(settings, options)) +
         ", kernel " + ActiveKernelName();
}

void SayOnceWhatCompactMeans(const Settings& settings, const RocksDBFilterOptions& options) {
  const bool is_format = settings.options.format == Format::kCompact;
  const bool is_flush_format = settings.flush_format != nullptr &&
                               filter::FormatNamed(settings.flush_format) == Format::kCompact;
  if (!is_format && !is_flush_format) return;
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::string without;
  const auto leave_out = [&](bool is_left_out, Variable variable) {
    if (!is_left_out) return;
    without += std::string(without.empty() ? ", without " : " and ") + kVariableNames[variable];
  };
  leave_out(settings.options.seed != 0 || settings.options.random_seed, kSeed);
  leave_out(is_format && settings.flush_format != nullptr && !is_flush_format, kFlushFormat);
  std::fprintf(stderr,
               "bloomline: %s is 'compact', whose place ribbon takes in RocksDB; new filters of %s "
               "are %s%s\n",
               kVariableNames[is_format ? kFormat : kFlushFormat], program_invocation_short_name,
               WrittenText(settings, options).c_str(), without.c_str());
}

engine::RibbonOptions RibbonOptionsFor(const Settings& settings, const Asked& asked) {
  if (!asked.is_ribbon) return engine::RibbonOptions::kOwn;
  return ChoosesBloomFiles(settings) ? engine::RibbonOptions::kIgnored
                                     : engine::RibbonOptions::kFollowed;
}

// Returns a policy that writes what the settings say. Returns null, with the reason, if the
// settings contradict each other or what the program asks for.
std::unique_ptr<const rocksdb::FilterPolicy> NewWritingPolicy(const Settings& settings,
                                                              const Asked& asked,
                                                              RocksDBFilterOptions* options,
                                                              std::string* error) {
  *error = AddRocksDBsOptions(settings, asked, options);
  if (!error->empty()) return nullptr;
  *error = CompleteOptions(settings, asked, options);
  std::unique_ptr<const rocksdb::FilterPolicy> policy;
  if (error->empty()) {
    policy = engine::MakeRocksDBFilterPolicy(*options, error, RibbonOptionsFor(settings, asked));
  }
  if (policy == nullptr) {
    *error = (settings.has_bits_per_key
                  ? std::string("BLOOMLINE_BITS_PER_KEY")
                  : "the program asks for " + support::DoubleText(asked.bits_per_key) +
                        " bits per key" + (asked.is_ribbon ? " of a Ribbon filter" : "")) +
             ": " + *error;
  }
  return policy;
}

// `stock` with bloomline's queries.
std::unique_ptr<const rocksdb::FilterPolicy> NewReadingPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> stock, engine::RibbonOptions ribbon_options,
    std::string* error) {
  const RocksDBFilterOptions no_filters(FilterOptions{Format::kBlocked, 0});
  std::unique_ptr<rocksdb::FilterPolicy> reader =
      engine::MakeRocksDBFilterPolicy(no_filters, error, ribbon_options);
  if (reader == nullptr) return nullptr;
  return std::make_unique<engine::StockNamedPolicy>(std::move(stock), std::move(reader),
                                                    engine::Writer::kStock);
}

// `keeps_name`: the policy has the name and text of RocksDB's, whatever it writes.
std::unique_ptr<const rocksdb::FilterPolicy> NewPolicy(const Asked& asked, bool keeps_name,
                                                       std::string* error) {
  Settings settings = Settings::Parse(*environment, Engine::kRocksDB);
  RocksDBFilterOptions options = OptionsFor(settings, asked);
  std::unique_ptr<const rocksdb::FilterPolicy> policy;
  if (!settings.WritesOwnFilters()) {
    policy = NewWritingPolicy(settings, asked, &options, &settings.wrong);
    if (policy != nullptr && keeps_name) {
      policy = std::make_unique<engine::StockNamedPolicy>(NewStockPolicy(asked), std::move(policy),
                                                          engine::Writer::kBloomline);
    }
  }
  if (policy == nullptr) {
    settings.KeepOwnFilters();
    options = OptionsFor(settings, asked);
    policy = NewReadingPolicy(NewStockPolicy(asked), RibbonOptionsFor(settings, asked), error);
    if (policy == nullptr) return nullptr;
  }
  filter::SetSettingsWrong(!settings.wrong.empty());
  if (!settings.wrong.empty()) {
    SayOnceThatOwnFiltersStay(Engine::kRocksDB, settings.wrong.c_str(), Queried::kAll);
  }
  if (settings.wrong.empty() && engine::WritesFilters(options)) {
    SayOnceWhatCompactMeans(settings, options);
  }
  if (settings.verbose && engine::WritesFilters(options)) {
    SayOnceWhatIsActive(Engine::kRocksDB, ActiveText(settings, options).c_str());
  }
  return policy;
}

// Returns f(std::string* error). If that is null, the program keeps its own filters, and stderr has
// the reason.
template <typename F>
std::unique_ptr<const rocksdb::FilterPolicy> OrSay(F f) {
  const engine::StockPolicyScope scope;
  std::string error;
  std::unique_ptr<const rocksdb::FilterPolicy> policy = support::OrError(&error, f);
  if (policy == nullptr) {
    SayOnceThatOwnFiltersStay(Engine::kRocksDB, error.c_str(), Queried::kEnginesOwn);
  }
  return policy;
}

// The policy of an option string or OPTIONS file, which can be read back without bloomline.
std::unique_ptr<const rocksdb::FilterPolicy> NewNamedPolicy(const engine::StockName& name) {
  if (name.kind == engine::StockKind::kReader) {
    return OrSay([&](std::string* error) {
      return NewReadingPolicy(engine::StockPolicyNamed(engine::kStockReaderName),
                              engine::RibbonOptions::kOwn, error);
    });
  }
  const Asked asked{name.kind == engine::StockKind::kRibbon, name.bits_per_key,
                    name.bloom_before_level};
  std::unique_ptr<const rocksdb::FilterPolicy> policy;
  if (!engine::StockPolicyScope::IsActive()) {  // else bloomline itself wants RocksDB's policy
    policy =
        OrSay([&](std::string* error) { return NewPolicy(asked, /*keeps_name=*/true, error); });
  }
  if (policy != nullptr) return policy;
  const engine::StockPolicyScope scope;
  return NewStockPolicy(asked);
}

// Whether a program that asks for RocksDB's usual filters gets bits by level.
bool WritesByLevel(const Settings& settings) {
  if (!settings.wrong.empty() || settings.WritesOwnFilters()) return false;
  for (const bool is_ribbon : {false, true}) {
    const Asked usual{is_ribbon, /*bits_per_key=*/10, /*bloom_before_level=*/-1};
    RocksDBFilterOptions options = OptionsFor(settings, usual);
    std::string error = AddRocksDBsOptions(settings, usual, &options);
    if (error.empty()) error = CompleteOptions(settings, usual, &options);
    if (error.empty() && options.Validate().empty() && options.auto_bits_by_level) return true;
  }
  return false;
}

// Called for each policy, also for those made by name.
void AtPolicy() {
  static std::atomic_flag is_known = ATOMIC_FLAG_INIT;
  if (!is_known.test_and_set()) {
    SayRemarksOnce(Settings::Parse(*environment, Engine::kRocksDB));
  }
  StartMetricsFile();
}

// Variables of the filters are checked when the program asks for a policy, because option strings
// do not follow them.
void Start() {
  std::string mismatch = engine::RocksDBVersionMismatch();
  if (mismatch.empty()) mismatch = engine::RocksDBLayoutMismatch();
  if (!mismatch.empty()) {
    SayOnceThatOwnFiltersStay(Engine::kRocksDB, mismatch.c_str(), Queried::kEnginesOwn);
    return;
  }
  if (!RegisterBloomline()) return;
  is_usable = true;
  engine::MakeStockNamesWith(NewNamedPolicy);
  const Settings settings = Settings::Parse(*environment, Engine::kRocksDB);
  PrepareMetricsFile(settings);
  filter::SetMetricsStart(AtPolicy);
  filter::SetSettingsWrong(false);
  if (settings.verbose) SayOnceThatNameIsKnown();
  follows_levels = WritesByLevel(settings);
}

}  // namespace

bool FollowsLevels() { return follows_levels; }

bool HasFormat() { return is_usable && environment.load()->values[kFormat] != nullptr; }

}  // namespace bloomline::preload

extern "C" {
extern const char bloomline_preload_policy_version[];
const char bloomline_preload_policy_version[] = BLOOMLINE_VERSION_STRING;
}

extern "C" void bloomline_preload_start_5(const bloomline::preload::Environment* environment) {
  bloomline::preload::environment = environment;
  bloomline::preload::Start();
}

extern "C" const rocksdb::FilterPolicy* bloomline_preload_new_policy(
    const bloomline::preload::Asked& asked) {
  using namespace bloomline;
  if (!preload::is_usable) preload::Start();  // the first call may have come too early
  if (!preload::is_usable || engine::StockPolicyScope::IsActive()) return nullptr;
  auto policy = preload::OrSay(
      [&](std::string* error) { return preload::NewPolicy(asked, /*keeps_name=*/false, error); });
  return policy.release();
}
