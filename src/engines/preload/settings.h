// The settings of a preload library, from the environment of a program.
#ifndef BLOOMLINE_ENGINES_PRELOAD_SETTINGS_H_
#define BLOOMLINE_ENGINES_PRELOAD_SETTINGS_H_

#include <string>

#include "bloomline/filter_options.h"
#include "src/engines/preload/environment.h"

namespace bloomline::preload {

enum class Engine { kLevelDB, kRocksDB };

struct Settings {
  // BLOOMLINE_FORMAT=stock, RocksDB's default: its own filters, of the kind that the program asks
  // for. Until that is known, the format is kBloom.
  bool is_stock = false;
  bool has_bits_per_key = false;
  FilterOptions options;
  bool verbose = false;
  std::string metrics;  // the path of the file; empty: none
  int metrics_seconds = 15;

  // Returns an empty string, or one sentence that names a variable, its value and what is allowed.
  static std::string Parse(const Environment& environment, Engine engine, Settings* settings);
};

// "compact, 7.5 bits per key, seed 12"
std::string Describe(const FilterOptions& options);

// Print one line on stderr, each only at the first call in the process. Need no memory.
void SayOnceThatOwnFiltersStay(const char* engine, const char* reason);
void SayOnceWhatIsActive(const char* engine, const char* policy);

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_SETTINGS_H_
