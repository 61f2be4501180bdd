// The bits per key of a database's levels, and what they cost and waste.
#ifndef BLOOMLINE_INSPECT_ADVICE_DIVISION_H_
#define BLOOMLINE_INSPECT_ADVICE_DIVISION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/inspect/sstable/table.h"

namespace bloomline::advice {

// The levels that have keys, in arrays as level_sizing.h takes them.
struct Tree {
  sstable::Engine engine = sstable::Engine::kRocksDB;
  double level_size_ratio = 10;
  std::vector<int> numbers;  // ascending
  std::vector<double> keys;
  std::vector<double> runs;
  std::vector<uint64_t> keys_per_filter;  // at least 1
  std::vector<bool> sizes_vary;           // of several filters

  int size() const { return static_cast<int>(keys.size()); }
  double all_keys() const;
  double all_runs() const;
};

struct Division {
  double bits_per_key = 0;            // the average
  std::vector<double> bits_of_level;  // as the tree's; in hundredths; 0: no filter
  double bytes = 0;
  double wasted_reads = 0;
};

// Filters of one format, with the same bits in all levels or with bits by level.
class Divider {
 public:
  Divider(const Tree& tree, Format format, bool by_level);

  // The fewest wasted reads within so many bytes. None: too few for any filters.
  std::optional<Division> Within(double bytes) const;
  // The least memory for so many wasted reads. None: out of reach.
  std::optional<Division> For(double wasted_reads) const;
  // With an allowed number of bits per key.
  Division At(double bits_per_key) const;

  // The smallest division with filters, and the one that wastes least.
  Division Least() const;
  Division Most() const;

 private:
  Division AtHundredths(int hundredths) const;

  const Tree& tree_;
  const Format format_;
  const bool by_level_;
  int min_hundredths_;
  int max_hundredths_;
};

// The bits per key of levels 0 to the deepest with keys, for RocksDB's bits_by_level. Levels
// without keys get what would be best if they were as full as their neighbours let expect.
std::vector<double> BitsFromLevel0(const Tree& tree, Format format, const Division& division);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_INSPECT_ADVICE_DIVISION_H_
