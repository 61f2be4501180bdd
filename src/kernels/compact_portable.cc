// The specification of compact queries and of their solver.
#include <algorithm>
#include <cstring>

#include "src/kernels/all_kernels.h"
#include "src/kernels/compact_lanes.h"
#include "src/kernels/compact_lanes_solver.h"
#include "src/kernels/compact_line.h"
#include "src/kernels/compact_scalar.h"
#include "src/kernels/compact_solver.h"

namespace bloomline::kernels {
namespace {

bool PackedMayMatch(const CompactLines& filter, uint64_t hash) {
  return CompactLineMayMatch(CompactLine(filter, hash), filter.line_bytes, filter.base_slots, hash);
}

void PackedMayMatchMany(const CompactLines& filter, size_t n, const uint64_t* hashes,
                        bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = CompactLineMayMatch(CompactLine(filter, hashes[i]), filter.line_bytes,
                                       filter.base_slots, hashes[i]);
  }
}

void EliminateBelow(EquationRows* rows, size_t num_rows, size_t pivot, bool in_second,
                    uint64_t bit) {
  const uint64_t first = rows->first[pivot];
  const uint64_t second = rows->second[pivot];
  const uint64_t* tested = in_second ? rows->second : rows->first;
  const int shift = __builtin_ctzll(bit);
  for (size_t i = pivot + 1; i < num_rows; ++i) {
    const uint64_t mask = ~(tested[i] >> shift & 1) + 1;
    rows->first[i] ^= first & mask;
    rows->second[i] ^= second & mask;
  }
}

int PackedSolve(const LineKeys& keys, unsigned slots, uint32_t line_bytes, char* line) {
  return SolveCompactLine(keys, slots, line_bytes, line, EliminateBelow);
}

bool LanesMayMatchOne(const CompactLines& filter, uint64_t hash) {
  return LanesMayMatch(LanesLine(filter, hash), filter.base_slots, hash);
}

void LanesMayMatchMany(const CompactLines& filter, size_t n, const uint64_t* hashes,
                       bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = LanesMayMatch(LanesLine(filter, hashes[i]), filter.base_slots, hashes[i]);
  }
}

struct LaneSteps {
  static void ClearPair(LaneEquations* equations, size_t n, size_t pivot, bool in_second,
                        uint64_t bit) {
    const uint64_t first = equations->first[pivot];
    const uint64_t second = equations->second[pivot];
    const uint64_t* tested = in_second ? equations->second : equations->first;
    const int shift = __builtin_ctzll(bit);
    for (size_t i = 0; i < n; ++i) {
      const uint64_t mask = ~(tested[i] >> shift & 1) + 1;
      equations->first[i] ^= first & mask;
      equations->second[i] ^= second & mask;
    }
    equations->first[pivot] = first;
    equations->second[pivot] = second;
  }
  static void ClearFourPairs(LaneEquations* equations, size_t n, size_t pivot,
                             const FourPivots<2>& four) {
    for (unsigned j = 0; j < 4; ++j) ClearPair(equations, n, pivot + j, false, four.bits[j]);
  }
  static void ClearWord(uint64_t* equations, size_t n, size_t pivot, uint64_t bit) {
    const uint64_t word = equations[pivot];
    const int shift = __builtin_ctzll(bit);
    for (size_t i = 0; i < n; ++i) equations[i] ^= word & (~(equations[i] >> shift & 1) + 1);
    equations[pivot] = word;
  }
  static void ClearFourWords(uint64_t* equations, size_t n, size_t pivot,
                             const FourPivots<1>& four) {
    for (unsigned j = 0; j < 4; ++j) ClearWord(equations, n, pivot + j, four.bits[j]);
  }
};

bool LanesSolve(const uint64_t* hashes, size_t n, uint32_t base_slots, char* line) {
  return SolveLanes<LaneSteps>(hashes, n, base_slots, line);
}

}  // namespace

const CompactKernel kPortableCompact = {
    PackedMayMatch,   PackedMayMatchMany, PackedSolve,
    LanesMayMatchOne, LanesMayMatchMany,  LanesSolve,
};

}  // namespace bloomline::kernels
