// The rule of bits_by_level=auto: the bits per key of a new file follow from the part of the
// promised memory that the filters of deeper levels leave.
#ifndef BLOOMLINE_FILTER_SIZING_LEFT_OVER_H_
#define BLOOMLINE_FILTER_SIZING_LEFT_OVER_H_

#include <cmath>
#include <vector>

#include "bloomline/filter_options.h"

namespace bloomline::filter {

// A level of a tree of SSTables.
struct LevelFill {
  double keys = 0;
  double memory_bits = 0;         // of all its filters
  double target_keys = HUGE_VAL;  // the most that it has at rest
  double assumed_keys = 0;        // those of `keys` whose filters are not known
};

// The tree once all running jobs have ended. What they still write counts in `keys`; what the job
// of the new file still writes has no memory yet.
struct TreeFill {
  // The keys of each file of level 0, oldest first. If the new file is one of them, it is the last.
  std::vector<double> top_keys;
  // By number; levels[0] has the sums of level 0.
  std::vector<LevelFill> levels;
  // How much more memory the inputs of other running jobs take than their outputs, counting only
  // jobs whose inputs take more. Inputs exist until their job has ended, and for longer if it
  // fails.
  double replaced_bits = 0;
};

// The SSTable for whose filter the bits are.
struct NewFilter {
  int level = 0;
  bool is_flush = false;  // or recovered from the write-ahead log
  double keys = 0;        // still to be written by its job, with this file; 0: unknown
};

// What the filters of the whole tree may take.
struct PromisedMemory {
  Format format = Format::kBlocked;  // of most files; decides the best division
  double mean_bits = 0;              // bits of memory per key
  // Under a limit of bytes: the part of the mean that new files get even if older ones have used
  // it. 0: none.
  double floor = 0;
};

// Returns the bits of memory per key (memory_divider.h) of the new file's filter. For a file whose
// level has no keys in the tree, this is the promised mean. Takes less than 2 ms.
double LeftOverBits(const PromisedMemory& promise, const TreeFill& tree, const NewFilter& file);

// Returns the bits of memory per key of each level after all levels were rewritten in their places,
// from the deepest up. Levels without keys have the mean.
std::vector<double> LeftOverBitsOfAll(const PromisedMemory& promise, TreeFill tree);

// How large levels are at rest, as RocksDB's options say.
struct LevelTargets {
  bool has_levels = true;  // false: universal compaction, without targets
  bool is_dynamic = true;  // level_compaction_dynamic_level_bytes
  double base_keys = 0;    // of level 1, if not dynamic
  double ratio = 10;       // max_bytes_for_level_multiplier
  double least_keys = 0;   // of a flush; no target is smaller
};

// Sets target_keys of each level.
void SetTargets(const LevelTargets& targets, TreeFill* tree);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_LEFT_OVER_H_
