// The settings of a preload library, from the environment of a program.
#ifndef BLOOMLINE_ENGINES_PRELOAD_SETTINGS_H_
#define BLOOMLINE_ENGINES_PRELOAD_SETTINGS_H_

#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/engines/preload/environment.h"
#include "src/support/engine.h"

namespace bloomline::preload {

using support::Engine;

// The existing filters that a program queries.
enum class Queried { kAll, kAllWithThisSeed, kAllWithoutSeed, kEnginesOwn };

struct Settings {
  explicit Settings(Engine of) : engine(of) { KeepOwnFilters(); }

  const Engine engine;
  // BLOOMLINE_FORMAT=stock, the default: the engine's own filters. RocksDB has two kinds; until it
  // is known which one the program asks for, the format is kBloom.
  bool is_stock;
  bool has_bits_per_key;
  // RocksDB only; null: not set.
  const char* bits_by_level;
  const char* flush_format;
  const char* bloom_before_level;
  FilterOptions options;
  bool verbose = false;
  std::string metrics;  // the path of the file; empty: none
  int metrics_seconds = 15;

  // What is wrong with variables. `wrong` stops the writing of bloomline's filters. The remarks are
  // whole sentences and stop nothing.
  std::string wrong;
  std::vector<std::string> remarks;         // on variables of both libraries
  std::vector<std::string> engine_remarks;  // on the others
  // What is queried with `wrong`.
  Queried queried = Queried::kAll;

  // If a variable of the filters is wrong, the settings are those of KeepOwnFilters.
  static Settings Parse(const Environment& environment, Engine engine);

  // Back to the defaults, but for a seed that the format takes, which queries of existing filters
  // need in LevelDB.
  void KeepOwnFilters();

  // Whether the engine's own policy writes what the settings say.
  bool WritesOwnFilters() const {
    return is_stock && !has_bits_per_key && bits_by_level == nullptr && flush_format == nullptr &&
           bloom_before_level == nullptr;
  }
};

// "ribbon, 14.5 bits per key"
std::string Describe(const FilterOptions& options);

// Print on stderr, each only at the first call in the process.
void SayOnceThatOwnFiltersStay(Engine engine, const char* reason, Queried queried);
void SayOnceWhatIsActive(Engine engine, const char* policy);
void SayRemarksOnce(const Settings& settings);  // also if both libraries are loaded

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_SETTINGS_H_
