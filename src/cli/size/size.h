// `bloomline size` knows two of keys, rate (or bits per key) and memory, and computes the third for
// every format of static filters; with --levels, for each level of an LSM tree.
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
