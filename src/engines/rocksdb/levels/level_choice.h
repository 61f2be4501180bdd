// Chooses the filter of a table file by what RocksDB says when it makes the file, and by what the
// files before said about the levels in use. Knows nothing of RocksDB: the policy translates.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_

#include <atomic>
#include <cstddef>
#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/filter/sizing/level_rule.h"

namespace bloomline::engine {

// A file that RocksDB is about to write.
struct NewFile {
  int level = -1;  // -1: unknown, as in SstFileWriter
  // No file below it has keys of its range. Its level need not be the deepest one.
  bool is_bottommost = false;
  bool is_flush = false;
  bool is_recovered = false;       // from the write-ahead log while the database is opened
  bool has_levels = true;          // false: universal or FIFO compaction
  bool is_compacted_later = true;  // false: FIFO compaction, or none by RocksDB
  int num_levels = -1;             // the setting of the column family; -1: unknown
};

// What the files made so far say about the levels in use. 0: none seen.
struct SeenLevels {
  int top = 0;             // the shallowest below level 0
  int deepest_bottom = 0;  // the deepest with a bottommost file
  int deepest_inner = 0;   // the deepest with another file, so there is data below
  // Whether flushed files are merged with others, not moved down unchanged.
  bool flushes_are_merged = false;
};

// What the files of each column family say about the levels in use. Column families whose names
// share a slot count as one, as do those of one name in several databases of one policy: the one
// with more levels decides. Their filters then differ in size, never in their answers. Thread-safe.
class LevelHistory {
 public:
  // Takes `file` into account. Returns what is then known.
  SeenLevels Add(std::string_view column_family, const NewFile& file);

 private:
  // RocksDB stops writes at 36 files in level 0 (level0_stop_writes_trigger) unless compactions
  // take them away.
  static constexpr int kFlushesPerMerge = 32;
  static constexpr size_t kSlots = 16;

  struct Family {
    std::atomic<int> top{0};
    std::atomic<int> deepest_bottom{0};
    std::atomic<int> deepest_inner{0};
    // Flushes that still count as merged: each merge below level 0 vouches for a number.
    std::atomic<int> trusted_flushes{0};
  };

  Family families_[kSlots];
};

// The options of a policy, ready for ChooseFilter.
struct LevelRules {
  enum class Rule { kUniform, kByLevel, kByDistance };

  Format format = Format::kBlocked;
  Format flush_format = Format::kBlocked;
  int bloom_before_level = -1;  // of RocksDB's Ribbon policy: its Bloom filters below this level
  double bits_per_key = 0;      // kUniform, and files whose level is unknown; 0: no filter
  bool filters_at_bottom = true;
  // Whether the mean includes the keys of the last level. It does not if memory is limited and they
  // get no filter. If unfiltered keys counted, the mean would be mostly theirs, and the other
  // levels would exceed the limit.
  bool counts_bottom = true;
  int deepest = 0;  // 0: learned
  double level_size_ratio = 0;
  Rule rule = Rule::kUniform;
  filter::LevelBits level_bits;  // kByLevel: from level 0 on
};

// `options` must be valid. bits_per_key is what options.bits_per_key means, 0 for no filters. Takes
// milliseconds with auto_bits_by_level.
LevelRules MakeLevelRules(const RocksDBFilterOptions& options, double bits_per_key);

// Returns the rules with fewer bits per key, a mean of `bits_per_key`: divides it by level anew,
// with kMinBits for each level that would get less. Returns the same rules if the mean is lower
// already. Takes about 1 ms.
LevelRules LoweredTo(double bits_per_key, LevelRules rules);

// The filter of a file.
struct FilterChoice {
  Format format;
  double bits_per_key;  // 0: no filter
};
FilterChoice ChooseFilter(const LevelRules& rules, const NewFile& file, const SeenLevels& seen);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_
