// Chooses the filter of a table file by what RocksDB says when it makes the file. Knows nothing of
// RocksDB: the policy translates.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <string_view>
#include <vector>

#include "bloomline/rocksdb.h"

namespace bloomline::engine {

// A file that RocksDB is about to write.
struct NewFile {
  int level = -1;  // -1: unknown, as in SstFileWriter
  // No file below it has keys of its range. Its level need not be the deepest one.
  bool is_bottommost = false;
  bool is_flush = false;
  bool is_recovered = false;       // from the write-ahead log while the database is opened
  bool is_of_database = true;      // false: of an SstFileWriter
  bool has_levels = true;          // false: universal or FIFO compaction
  bool is_compacted_later = true;  // false: FIFO compaction, or none by RocksDB
};

// The options of a policy, ready for ChooseFilter.
struct LevelRules {
  enum class Rule { kUniform, kByLevel, kAuto };

  Format format = Format::kBlocked;
  Format flush_format = Format::kBlocked;
  int bloom_before_level = -1;  // of RocksDB's Ribbon policy: its Bloom filters below this level
  double bits_per_key = 0;      // but kByLevel, for files whose level is known; 0: no filter
  bool filters_at_bottom = true;
  Rule rule = Rule::kUniform;
  std::vector<double> level_bits;  // kByLevel: from level 0 on; the last one is for all below
};

// `options` must be valid. bits_per_key is what options.bits_per_key means, 0 for no filters.
LevelRules MakeLevelRules(const RocksDBFilterOptions& options, double bits_per_key);

// The filter of a file.
struct FilterChoice {
  // What the options need, and the file lacks.
  enum class Missing { kNothing, kDatabase, kAccount };

  Format format;
  double bits_per_key;      // 0: no filter
  bool is_limited = false;  // fewer bits, because memory is limited
  Missing missing = Missing::kNothing;
};

// With kAuto, the bits are bits_per_key, which other files of the database then make more or fewer.
FilterChoice ChooseFilter(const LevelRules& rules, const NewFile& file);

// What the files so far say of the levels of a column family.
struct SeenLevels {
  // Flushed files are merged with others. RocksDB else moves them down unchanged, and all of the
  // database would have their filters.
  bool merges_flushes = false;
  int top = 0;      // the least level below level 0 that got a file, if merges_flushes
  int deepest = 0;  // that files were written to, or above
};

// Column families that share a slot count as one. Thread-safe.
class LevelHistory {
 public:
  // Takes `file` into account. `log` tells databases apart whose column families have one name.
  SeenLevels Add(std::string_view column_family, const void* log, const NewFile& file);

 private:
  // RocksDB stops writes at 36 files in level 0 (level0_stop_writes_trigger) unless compactions
  // take them away. So each merge below level 0 vouches for this number of flushes.
  static constexpr int kFlushesPerMerge = 32;
  static constexpr size_t kSlots = 256;

  struct Slot {
    std::atomic<int> trusted_flushes{0};
    std::atomic<int> top{INT_MAX};
    std::atomic<int> deepest{0};
  };

  std::array<Slot, kSlots> slots_{};
};

// The bits of memory per key of a file for which no account of the other files is at hand: for
// levels that are as full as is least favourable. The mean of all files is at most 1.12 times
// mean_bits in all states that rocksdb_promise_test has.
double BitsWithoutAccount(double mean_bits, const NewFile& file, const SeenLevels& seen);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_
