// The cells of the matrix: one value of each dimension.
#ifndef BLOOMLINE_TESTS_ENGINES_MATRIX_CELL_H_
#define BLOOMLINE_TESTS_ENGINES_MATRIX_CELL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/engines/rocksdb/builder/filter_bits_abi.h"

namespace bloomline::matrix {

// The prefix extractor. XToY: the database is reopened with Y and then written again.
enum class Prefix {
  kNone,
  kFixed,         // the first 4 bytes; shorter keys are outside its domain
  kCapped,        // at most the first 4 bytes; all keys are in its domain
  kNoop,          // the whole key
  kDomain,        // the first 4 bytes of some keys, none of others
  kFixedToFixed,  // 4 bytes to 6
  kCappedToFixed,
  kNoneToFixed,
  kFixedToNone,
};

enum class Index {
  kFull,         // one filter for each file
  kTwoLevel,     // the same with a two-level index
  kPartitioned,  // partitioned filters, cut where the index is
  kDecoupled,    // partitioned filters, cut anywhere; RocksDB 9.6 and later
};
constexpr bool kHasDecoupled = BLOOMLINE_ROCKSDB_VERSION >= 906;

// Each set has its own way to meet the code that drops adjacent duplicates.
enum class KeySet {
  kMany,     // many keys for each prefix: prefixes run over partitions
  kSingle,   // mostly one key for each prefix
  kNested,   // prefixes that are keys, too
  kReverse,  // the same in descending order: a key may be the prefix of the one before it
  kMixed,    // of any length, the empty key included; bytes 0 and 255
};

enum class WholeKey { kOff, kOn };

enum class Filter {
  kBlocked,
  kAuto,      // ribbon, bits_by_level=auto
  kList,      // blocked, other bits on each level
  kGaps,      // ribbon, no filters on two of the levels
  kFlush,     // ribbon, but blocked at flush
  kNoBottom,  // ribbon, by level, no filters at the bottom
  kBloom,     // RocksDB's bytes
  kRibbon,    // RocksDB's bytes
};

struct Cell {
  static constexpr size_t kDimensions = 5;

  Prefix prefix() const { return static_cast<Prefix>(values[0]); }
  Index index() const { return static_cast<Index>(values[1]); }
  KeySet keys() const { return static_cast<KeySet>(values[2]); }
  bool whole_key() const { return static_cast<WholeKey>(values[3]) == WholeKey::kOn; }
  Filter filter() const { return static_cast<Filter>(values[4]); }

  bool is_partitioned() const { return index() >= Index::kPartitioned; }
  bool changes_prefix() const { return prefix() >= Prefix::kFixedToFixed; }

  // "prefix=fixed,index=full,keys=many,whole=on,filter=blocked"
  std::string Name() const;

  std::array<size_t, kDimensions> values;
};

// Every cell that this version of RocksDB can have.
std::vector<Cell> AllCells();

// Few cells that together have every pair of values of two dimensions. `seed` chooses among such
// sets.
std::vector<Cell> PairwiseCells(uint64_t seed);

// Returns the cells that match `text`, which may leave dimensions out: "whole=off,filter=ribbon".
// Empty if a name or value is unknown.
std::vector<Cell> CellsNamed(const std::string& text);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ENGINES_MATRIX_CELL_H_
