// `bloomline size` knows two of keys, rate (or bits per key) and memory, and computes the third for
// every format of static filters; with --levels, for each level of an LSM tree.
#ifndef BLOOMLINE_CLI_SIZE_SIZE_H_
#define BLOOMLINE_CLI_SIZE_SIZE_H_

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/filter/options/formats.h"

namespace bloomline::cli {

struct SizeRequest {
  std::optional<uint64_t> num_keys;
  std::optional<uint64_t> capacity;  // keys that the filter is sized for; none: num_keys
  std::optional<double> rate;
  std::optional<double> bits_per_key;
  std::optional<uint64_t> memory_bytes;
  // These need --levels.
  std::optional<int> num_levels;           // 1 to kMaxLevels
  std::optional<double> level_ratio;       // 1 to kMaxLevelSizeRatio; none: 10
  std::optional<double> first_level_runs;  // sorted runs of level 0; none: 1
  std::optional<double> wasted_reads;      // per Get of a missing key
};

// The title of a format in tables, which names the engine if the filters are its own.
inline std::string TitleOf(const std::string& format_name) {
  const std::optional<Format> format = filter::FormatNamed(format_name);
  if (!format || filter::RowOf(*format).has_trailer) return format_name;
  return format_name + (filter::RowOf(*format).in_leveldb ? " (LevelDB's)" : " (RocksDB's)");
}
// The engines' own formats, then bloomline's.
inline std::vector<Format> FormatsInOrder() {
  std::vector<Format> formats;
  for (const bool is_own : {false, true}) {
    for (const filter::FormatRow& row : filter::kFormats) {
      if (row.has_trailer == is_own) formats.push_back(row.format);
    }
  }
  return formats;
}
// Explains these titles to a new user.
constexpr char kOwnFormats[] = "blocked and compact work only where bloomline is loaded.\n";
constexpr char kSeeHelp[] = "; see bloomline size --help";

// Returns whether there is an error, and prints it to stderr.
inline bool IsRefused(const std::string& error) {
  if (!error.empty()) std::cerr << "bloomline size: " << error << '\n';
  return !error.empty();
}

// Returns whether all rows have problems, and then prints these to stderr.
template <typename Row>
bool IsImpossible(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.problem.empty()) return false;
  }
  for (const Row& row : rows) IsRefused(row.name + ": " + row.problem);
  return true;
}

// For a request with an option for levels, prints bits per key, memory and wasted reads of each
// level, with the bits divided among the levels and, for comparison, the same bits in all; or the
// reason why there are none.
int RunLevelSize(const SizeRequest& request, bool json);

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SIZE_SIZE_H_
