// The specification of compact queries and of their solver.
#include <algorithm>
#include <cstring>

#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_lanes_solver.h"

namespace bloomline::kernels {
namespace {

unsigned LaneHeaderOf(const char* line) {
  unsigned header = 0;
  for (unsigned lane = kLanes; lane-- > 0;) {
    header = 2 * header + static_cast<unsigned>(LoadLittleEndian64(line + 8 * lane) >> 63);
  }
  return header;
}

// What the row asks its own lane and another one.
BLOOMLINE_ALWAYS_INLINE unsigned LaneParity(const char* line, const LaneLayout& layout,
                                            unsigned row, uint64_t own_slots,
                                            uint64_t other_slots) {
  const uint64_t other = LoadLittleEndian64(line + layout.other_byte[row]);
  return Parity((LoadLittleEndian64(line + 8 * row) & own_slots) ^
                (other >> layout.other_shift[row] & other_slots));
}

// Lane by lane, from the one that has `first`.
unsigned TailParity(const char* line, unsigned slots, unsigned first, uint64_t mask) {
  const unsigned width = kLaneSlots - slots;
  uint64_t hits = 0;
  for (unsigned lane = first / width, skipped = first % width; mask != 0; ++lane, skipped = 0) {
    const unsigned bits = width - skipped;
    const uint64_t piece = LoadLittleEndian64(line + 8 * lane) >> slots >> skipped;
    hits ^= piece & mask & OnesBelow64(bits);
    mask >>= bits;
  }
  return Parity(hits);
}

// The rest of a query that passed eight rows: present keys and one absent one in 256. Out of line
// and from the start again, so that the others' way needs few registers.
__attribute__((noinline, flatten)) bool TailMatches(const CompactFilter& filter, uint64_t hash) {
  const char* line = LanesLine(filter, hash);
  const LaneQuery query = QueryOf(LaneHeaderOf(line), filter.base_slots, hash);
  return query.layout.tail_slots == 0 ||
         LaneTailMatches<1>(line, query.layout, query.slots.own, hash, TailParity);
}

// Rows say nothing with probability 1/2 each, so stopping after each would cost a mispredicted
// branch per query; 7 of 8 absent keys end with the first three.
BLOOMLINE_ALWAYS_INLINE bool LanesLineMayMatch(const CompactFilter& filter, uint64_t hash) {
  const char* line = LanesLine(filter, hash);
  const LaneQuery query = QueryOf(LaneHeaderOf(line), filter.base_slots, hash);
  const LaneLayout& layout = query.layout;
  unsigned wrong = static_cast<unsigned>(hash);
  const uint64_t own_slots = query.slots.own & layout.own[0];
  const uint64_t other_slots = query.slots.other & layout.other[0];
  constexpr unsigned kFirstRows = 3;
  for (unsigned row = 0; row < kFirstRows; ++row) {
    wrong ^= LaneParity(line, layout, row, own_slots, other_slots) << row;
  }
  if ((wrong & query.asked & OnesBelow64(kFirstRows)) != 0) return false;
  for (unsigned row = kFirstRows; row < kLanes; ++row) {
    wrong ^= LaneParity(line, layout, row, query.slots.own & layout.own[row],
                        query.slots.other & layout.other[row])
             << row;
  }
  return (wrong & query.asked) == 0 && TailMatches(filter, hash);
}

bool LanesMayMatchOne(const CompactFilter& filter, uint64_t hash) {
  return LanesLineMayMatch(filter, hash);
}

void LanesMayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                       bool* may_match) {
  for (size_t i = 0; i < n; ++i) may_match[i] = LanesLineMayMatch(filter, hashes[i]);
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

CompactKernel PortableCompact() {
  CompactKernel kernel;
  kernel.lanes_may_match = LanesMayMatchOne;
  kernel.lanes_may_match_many = LanesMayMatchMany;
  kernel.lanes_solve = LanesSolve;
  return kernel;
}

}  // namespace bloomline::kernels
