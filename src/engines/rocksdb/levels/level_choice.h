// Chooses the filter of a table file by what RocksDB says when it makes the file. Knows nothing of
// RocksDB: the policy translates.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_

#include <array>
#include <atomic>
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

// Whether flushed files of a column family are merged with others, as the files so far say. RocksDB
// else moves them down unchanged, and all of the database would have their filters. Column families
// that share a slot count as one. Thread-safe.
class MergeHistory {
 public:
  // Takes `file` into account. Returns whether flushed files are merged. `log` tells databases
  // apart whose column families have one name.
  bool Add(std::string_view column_family, const void* log, const NewFile& file);

 private:
  // RocksDB stops writes at 36 files in level 0 (level0_stop_writes_trigger) unless compactions
  // take them away. So each merge below level 0 vouches for this number of flushes.
  static constexpr int kFlushesPerMerge = 32;
  static constexpr size_t kSlots = 256;

  std::array<std::atomic<int>, kSlots> trusted_flushes_{};
};

// The bits of memory per key of a file for which no account of the other files is at hand. Level 0
// has more than the mean, because lookups pass all its files. So the mean of all files is at most
// mean_bits + 8 times the share of the keys in flushed files that no level below has merged yet.
double BitsWithoutAccount(double mean_bits, const NewFile& file, bool merges_flushes);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_LEVELS_LEVEL_CHOICE_H_
