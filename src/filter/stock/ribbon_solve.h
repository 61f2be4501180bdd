// Solving the linear system of RocksDB's Ribbon filter: what the solvers of all instruction sets
// share. The builder (src/filter/stock/builder) calls them.
//
// A key is an equation: the XOR of up to 128 consecutive rows of the table, from its start on, is
// its fingerprint. RocksDB inserts one key after the other, and each makes a chain of dependent
// steps through memory. Here all keys that overlap a row are eliminated at once:
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
// A solver is one RibbonSolver. It has no state between calls but what the caller holds. A new one
// needs
//
//   solve             a group: pivots of its rows
//   substitute        the solution of a block from the rows that follow it
//   keep_rows_bytes   what its speed suggests
//
// and its lines in ribbon_solver/solvers.h and kernel_table.cc. All must agree in every bit of the
// solution. They need not agree in the rows that they write, nor in which groups they cannot solve
// (kTooMany).
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_SOLVE_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_SOLVE_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/stock/ribbon.h"

namespace bloomline::stock {

// Rows of a group, whose starts have 16 bits and whose rows (40 KiB) stay in the L2 cache.
constexpr int kLog2GroupRows = 11;
constexpr uint32_t kGroupRows = 1u << kLog2GroupRows;

// Rows of a step.
constexpr uint32_t kRowsPerStep = 8;

// A solver may read so many hashes and starts behind those of a group.
constexpr uint32_t kReadAheadKeys = 8;

// Coefficients of 128 rows; row r is bit r mod 64 of the word of r mod 128.
struct RibbonCoefficients {
  uint64_t low;
  uint64_t high;
};

// An equation: the rows that the coefficients select have the XOR `result`.
struct RibbonEquation {
  RibbonCoefficients coefficients;
  uint32_t result;
};

// The equations that wait between two groups. Solvers hold no more of them at any time.
struct WaitingEquations {
  static constexpr uint32_t kMax = 192;
  uint32_t size = 0;
  RibbonEquation equations[kMax];
};

// For each row the equation whose pivot it is; for a row r without one, the equation r = 0.
struct RibbonRows {
  RibbonCoefficients* coefficients = nullptr;
  uint32_t* results = nullptr;
};

// The keys whose starts are in a group.
struct RibbonGroup {
  const uint64_t* hashes;  // as added
  const uint16_t* starts;  // in the group; in order of start / 8
  uint32_t num_keys;
  uint64_t raw_seed;
  uint32_t num_rows;  // kGroupRows, or fewer in the last group: a multiple of 128
};

enum class RibbonSolved {
  kYes,
  kNo,      // an equation 0 = 1
  kTooMany  // more equations wait than the solver can hold
};

// Coefficients of which bit i is that of row + i, moved to their places.
inline RibbonCoefficients AtPlaces(const RibbonCoefficients& from_row, uint32_t row) {
  const bool swaps = (row & 64) != 0;
  const uint64_t first = swaps ? from_row.high : from_row.low;
  const uint64_t second = swaps ? from_row.low : from_row.high;
  const uint32_t by = row & 63;
  return {first << by | second >> 1 >> (63 - by), second << by | first >> 1 >> (63 - by)};
}

// The equation row = 0, of a row without a pivot.
inline RibbonEquation ZeroRow(uint32_t row) {
  const uint64_t bit = uint64_t{1} << row % 64;
  if (row % 128 < 64) return {{bit, 0}, 0};
  return {{0, bit}, 0};
}

// The equation of a key; bit i of its coefficients is that of its start + i.
inline RibbonEquation EquationFromStart(uint64_t hash, uint64_t raw_seed) {
  const uint64_t high = RibbonKey::Mixed(RibbonKey::Seeded(hash, raw_seed));
  const uint64_t low = (high ^ RibbonKey::kLowCoefficients) | RibbonKey::kFirstCoefficient;
  return {{low, high}, RibbonKey::Fingerprint(high)};
}

// The solution of up to 32 columns in 128 consecutive rows, at the places of coefficients.
struct RibbonSegments {
  alignas(64) uint64_t low[RibbonShape::kMaxColumns] = {};
  alignas(64) uint64_t high[RibbonShape::kMaxColumns] = {};
};

struct RibbonSolver {
  // Adds the keys of a group to those that wait, finds the pivots of its rows, and leaves in
  // *waiting those that wait for the next group. Writes num_rows rows to `rows` if they are not
  // null. *waiting is undefined unless the answer is kYes.
  RibbonSolved (*solve)(const RibbonGroup& group, WaitingEquations* waiting,
                        const RibbonRows& rows) = nullptr;

  // The solution of the 128 rows of a block, from that of the 128 rows behind it (in the last
  // block: zeros). The columns from num_columns on are undefined.
  void (*substitute)(const RibbonRows& rows, uint32_t num_columns,
                     RibbonSegments* segments) = nullptr;

  // Up to this memory, a builder keeps all rows, of 20 bytes. Beyond, it solves each group a second
  // time.
  size_t keep_rows_bytes = 0;
};

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_SOLVE_H_
