// Solving the linear system of RocksDB's Ribbon filter: what the solvers of all instruction sets
// share. The builder (layouts/rocksdb/ribbon_system.h) calls them.
//
// A key is an equation: the XOR of up to 128 consecutive rows of the table, from its start on, is
// its fingerprint. RocksDB inserts one key after the other, and each makes a chain of 6 to 11
// dependent steps through memory. Here all keys that overlap a row are eliminated at once:
//
//   - Keys come in groups of kGroupRows starts, in order of start / 8. At row r, the only state is
//     the waiting equations: those that have started and have no pivot yet, 12 on average in a
//     filter of 1e6 keys and 30 in one of 1e4.
//   - Coefficients stay at (row mod 128) all the time. An equation that waits at row r has
//     coefficients in rows r to r + 127 only, so the places are unique, and nothing is shifted. In
//     the byte of the row where an equation starts, bits below its start are rows 128 later.
//   - A step is eight rows. The step's byte of each equation decides which equations become pivots,
//     and which pivots each equation is XORed with. That is then applied to whole equations: a
//     product of a matrix of bits with the pivots.
//
// The solution has the bytes of RocksDB's, because the order of equations does not matter: which
// rows have a pivot is a property of the space that the equations span, and rows without one are
// zero. A seed fails exactly if an equation 0 = 1 appears among all 32 bits of the fingerprints,
// also where a filter stores fewer.
//
// A solver is one RibbonSolver. Between calls, only the caller holds state. All must agree in every
// bit of the solution. They need not agree in the rows that they write, nor in which groups they
// cannot solve (kTooMany).
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_SOLVE_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_SOLVE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/filter/bits/bytes.h"
#include "src/filter/stock/ribbon.h"

namespace bloomline::stock {

// Rows of a group, whose starts have 16 bits and whose rows (48 KiB) stay in the L2 cache.
constexpr int kLog2GroupRows = 11;
constexpr uint32_t kGroupRows = 1u << kLog2GroupRows;

// Rows of a step.
constexpr uint32_t kRowsPerStep = 8;

// A solver may read this many hashes and starts beyond those of a group.
constexpr uint32_t kReadAheadKeys = 8;

// An equation: the rows that the coefficients of 128 rows select have the XOR `result`. Row r is
// bit r mod 64 of the word of r mod 128.
struct RibbonEquation {
  bool has_rows() const { return (low | high) != 0; }

  uint64_t low;
  uint64_t high;
  uint64_t result;  // 32 bits
};

// The equations that wait between two groups. Solvers hold no more of them at any time.
using WaitingEquations = std::vector<RibbonEquation>;
constexpr uint32_t kMaxWaiting = 192;

// The keys whose starts are in a group.
struct RibbonGroup {
  const uint64_t* hashes;    // as added
  const uint16_t* starts;    // in the group; in order of start / 8
  const uint32_t* step_end;  // for each start / 8: the first key of later ones
  uint64_t raw_seed;
  uint32_t num_rows;  // kGroupRows, or fewer in the last group: a multiple of 128

  uint32_t num_steps() const { return num_rows / kRowsPerStep; }
};

enum class RibbonSolved {
  kYes,
  kNo,      // an equation 0 = 1
  kTooMany  // more equations wait than the solver can hold
};

// The equation row = 0, of a row without a pivot.
inline RibbonEquation ZeroRow(uint32_t row) {
  const uint64_t bit = uint64_t{1} << row % 64;
  if (row % 128 < 64) return {bit, 0, 0};
  return {0, bit, 0};
}

// The equation of a key. Bit i of its coefficients is that of its start + i, until they are rotated
// to their places.
BLOOMLINE_ALWAYS_INLINE RibbonEquation EquationOf(uint64_t hash, uint64_t raw_seed,
                                                  uint32_t start) {
  const uint64_t high = RibbonKey::Mixed(RibbonKey::Seeded(hash, raw_seed));
  const uint64_t low = (high ^ RibbonKey::kLowCoefficients) | RibbonKey::kFirstCoefficient;
  const bool swaps = (start & 64) != 0;
  const uint64_t first = swaps ? high : low;
  const uint64_t second = swaps ? low : high;
  const uint32_t by = start & 63;
  return {first << by | second >> 1 >> (63 - by), second << by | first >> 1 >> (63 - by),
          RibbonKey::Fingerprint(high)};
}

// The solution of up to 32 columns in 128 consecutive rows, at the places of coefficients.
struct RibbonSegments {
  alignas(64) uint64_t low[RibbonShape::kMaxColumns] = {};
  alignas(64) uint64_t high[RibbonShape::kMaxColumns] = {};
};

struct RibbonSolver {
  // Adds the keys of a group to those that wait, finds the pivots of its rows, and leaves in
  // *waiting those that wait for the next group. `rows` may be null. It takes for each row the
  // equation whose pivot it is, or ZeroRow. *waiting is undefined unless the answer is kYes.
  RibbonSolved (*solve)(const RibbonGroup& group, WaitingEquations* waiting,
                        RibbonEquation* rows) = nullptr;

  // The solution of the 128 rows of a block, from that of the 128 rows after it (in the last block:
  // zeros). The columns from num_columns on are undefined.
  void (*substitute)(const RibbonEquation* rows, uint32_t num_columns,
                     RibbonSegments* segments) = nullptr;

  // A builder keeps up to this many rows. Beyond that, it solves each group a second time.
  size_t most_kept_rows = 0;
};

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_SOLVE_H_
