// libbloomline_rocksdb_preload_policy.so: the RocksDB adaptor for libbloomline_rocksdb_preload.so,
// which opens it and captures the environment.
#include "src/engines/preload/rocksdb_policy.h"

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "bloomline/cpu.h"
#include "bloomline/rocksdb.h"
#include "src/engines/preload/settings.h"
#include "src/engines/rocksdb/options/option_table.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/engines/rocksdb/policy.h"
#include "src/support/number_text.h"
#include "src/support/out_of_memory.h"

namespace bloomline::preload {
namespace {

constexpr char kEngine[] = "RocksDB";

std::atomic<const Environment*> environment{nullptr};

// While a policy is made, RocksDB might make its own reader by the replaced function.
thread_local bool making_policy = false;

// A Ribbon filter of N bits per key is RocksDB's promise of the false-positive rate of a Bloom
// filter of N, in less memory. kCompact keeps it with these bits. They are within 0.02 of what
// BitsPerKeyForFalsePositiveRate gives for N from 4 to 16, and hundredths are easier to read.
double CompactBitsPerKey(double bloom_bits_per_key) {
  return std::round(67 * bloom_bits_per_key + 36) / 100;
}

// The options of a policy that takes the place of the one asked for.
FilterOptions OptionsFor(const Settings& settings, Asked asked, double bits_per_key) {
  FilterOptions options = settings.options;
  if (!settings.has_format && asked == Asked::kRibbon) options.format = Format::kCompact;
  // Below 0.5 bits, negative ones too, the program asks for no filters. So it stays.
  FilterOptions none = options;
  none.bits_per_key = std::fmax(0, bits_per_key);
  if (!std::isnan(bits_per_key) && !WritesFilters(none)) return none;
  if (settings.has_bits_per_key) return options;
  options.bits_per_key = bits_per_key;
  if (asked == Asked::kRibbon && options.format == Format::kCompact) {
    options.bits_per_key = CompactBitsPerKey(bits_per_key);
  }
  return options;
}

void SayOnceThatNameIsKnown() {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr, "bloomline: RocksDB of %s knows filter_policy=bloomline\n",
               program_invocation_short_name);
}

// Adds BLOOMLINE_BITS_BY_LEVEL. Returns an empty string, or what is wrong with it.
std::string AddBitsByLevel(RocksDBFilterOptions* options) {
  if (environment.load()->bits_by_level == nullptr || !WritesFilters(*options)) return "";
  const bool was_valid = options->Validate().empty();
  std::string error = ParseBitsByLevel(environment.load()->bits_by_level, options);
  if (error.empty() && was_valid) error = options->Validate();
  return error.empty() ? error : "BLOOMLINE_BITS_BY_LEVEL: " + error;
}

const rocksdb::FilterPolicy* NewPolicy(Asked asked, double bits_per_key, std::string* error) {
  Settings settings;
  *error = Settings::Parse(*environment, Engine::kRocksDB, &settings);
  if (!error->empty()) return nullptr;
  RocksDBFilterOptions options(OptionsFor(settings, asked, bits_per_key));
  *error = AddBitsByLevel(&options);
  if (!error->empty()) return nullptr;
  std::unique_ptr<rocksdb::FilterPolicy> policy = MakeRocksDBFilterPolicy(options, error);
  if (policy == nullptr) {
    *error = (settings.has_bits_per_key
                  ? std::string("BLOOMLINE_BITS_PER_KEY")
                  : "the program asks for " + support::DoubleText(bits_per_key) + " bits per key" +
                        (asked == Asked::kRibbon ? " of a Ribbon filter" : "")) +
             ": " + *error;
    return nullptr;
  }
  if (settings.verbose && WritesFilters(options)) {
    const std::string text = support::OrIfOutOfMemory(std::string(), [&] {
      std::string of_levels;
      if (environment.load()->bits_by_level != nullptr) {
        of_levels = std::string(", by level ") + environment.load()->bits_by_level;
      }
      return Describe(options) + of_levels + ", kernel " + ActiveKernelName();
    });
    SayOnceWhatIsActive(kEngine, text.c_str());
  }
  return policy.release();
}

// A bad setting is said when a policy is made: option strings do not follow the settings.
void Start() {
  support::OrIfOutOfMemory(false, [] {
    const std::string mismatch = RocksDBVersionMismatch();
    if (!mismatch.empty()) {
      SayOnceThatOwnFiltersStay(kEngine, mismatch.c_str());
      return false;
    }
    if (!RegisterBloomline()) return false;
    SayOnceWhatIsMisspelt(*environment);
    Settings settings;
    Settings::Parse(*environment, Engine::kRocksDB, &settings);
    if (settings.verbose) SayOnceThatNameIsKnown();
    return true;
  });
}

}  // namespace
}  // namespace bloomline::preload

extern "C" void bloomline_preload_start(const bloomline::preload::Environment* environment) {
  bloomline::preload::environment = environment;
  bloomline::preload::Start();
}

extern "C" const rocksdb::FilterPolicy* bloomline_preload_new_policy(
    bloomline::preload::Asked asked, double bits_per_key) {
  using namespace bloomline;
  if (preload::making_policy) return nullptr;
  preload::making_policy = true;
  std::string error;
  const rocksdb::FilterPolicy* const policy = support::OrError(
      &error, [&](std::string* reason) { return preload::NewPolicy(asked, bits_per_key, reason); });
  preload::making_policy = false;
  if (policy == nullptr) preload::SayOnceThatOwnFiltersStay(preload::kEngine, error.c_str());
  return policy;
}
