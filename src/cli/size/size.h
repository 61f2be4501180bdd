// `bloomline size` knows two of keys, rate (or bits per key) and memory, and computes the third for
// every format of static filters.
#ifndef BLOOMLINE_CLI_SIZE_SIZE_H_
#define BLOOMLINE_CLI_SIZE_SIZE_H_

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

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

// Returns what a request without levels lacks, or has too much; empty: nothing.
std::string Validate(const SizeRequest& request);

// The title of a format in tables, which names the engine if the filters are its own.
std::string TitleOf(const std::string& format_name);
// Explains these titles to a new user.
constexpr char kOwnFormats[] = "blocked and compact work only where bloomline is loaded.\n";
constexpr char kSeeHelp[] = "; see bloomline size --help";

struct SizeRow {
  std::string name;
  std::string problem;  // if not empty: why the figures below are missing
  std::string note;
  uint64_t num_keys = 0;  // the keys that the filter is sized for
  double bits_per_key = 0;
  uint64_t bytes = 0;
  std::optional<int> num_probes;
  std::optional<double> rate;             // with num_keys keys
  std::optional<double> overfilled_rate;  // with num_keys of a request that also has a capacity
};

// Returns a row for each format. Needs a request that Validate accepts.
std::vector<SizeRow> FormatRows(const SizeRequest& request);

// ---- `bloomline size --levels` computes bits per key, memory and wasted reads of each level of an
// LSM tree, with the bits divided among the levels and, for comparison, the same bits in all.

constexpr double kMaxFirstLevelRuns = 1000;

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

// For a request with an option for levels, prints the results, or the reason why there are none.
int RunLevelSize(const SizeRequest& request, bool json);

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SIZE_SIZE_H_
