// What `bloomline size --levels` computes: bits per key, memory and wasted reads of each level of
// an LSM tree, with the bits divided among the levels and, for comparison, the same in all.
#ifndef BLOOMLINE_TOOL_SIZE_LEVEL_SIZE_H_
#define BLOOMLINE_TOOL_SIZE_LEVEL_SIZE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bloomline::tool {

struct LevelSizeRequest {
  std::optional<int> num_levels;  // 1 to kMaxLevels
  double level_ratio = 10;        // 1 to kMaxLevelRatio
  double first_level_runs = 1;    // sorted runs of level 0
  std::optional<uint64_t> num_keys;
  std::optional<double> bits_per_key;
  std::optional<double> wasted_reads;  // per Get of a missing key
  std::optional<uint64_t> memory_bytes;
};

constexpr double kMaxLevelRatio = 1e6;
constexpr double kMaxFirstLevelRuns = 1000;

// Empty, or what is missing in the request, or too much. num_levels must be given.
std::string Validate(const LevelSizeRequest& request);

struct LevelRow {
  uint64_t num_keys;
  double runs;
  double bits_per_key;  // 0: no filter
  uint64_t bytes;
  double rate;  // false positives of a run; without a filter 1
};

struct LevelSize {
  std::string name;
  std::string problem;  // if not empty: why the figures below are missing
  std::string note;
  std::vector<LevelRow> levels;
  uint64_t num_keys = 0;
  double bits_per_key = 0;
  uint64_t bytes = 0;
  double wasted_reads = 0;
};

// Both need a request that Validate accepts. For each format that RocksDB takes.
std::vector<LevelSize> SizesByLevel(const LevelSizeRequest& request);
std::vector<LevelSize> SizesWithEqualBits(const LevelSizeRequest& request);

// Prints them.
int RunLevelSize(const LevelSizeRequest& request, bool json);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_SIZE_LEVEL_SIZE_H_
