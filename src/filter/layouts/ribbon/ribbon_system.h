// The linear system of a Ribbon filter's keys: the search for a seed that has a solution, and the
// solution as the filter's payload (ribbon_solve.h says how it is solved).
#ifndef BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_SYSTEM_H_
#define BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/filter/hash/hash_groups.h"
#include "src/filter/hash/hash_list.h"
#include "src/filter/stock/ribbon_solve.h"

namespace bloomline::stock {

// Solve WritePayload?. Pass 1, in Solve, finds out whether a seed has a solution. It keeps the rows
// of a small filter (24 bytes per key), and of others only the equations that wait between groups.
// Pass 2, in WritePayload, goes from the last group to the first: solves it again if its rows were
// not kept, and substitutes at once.
class RibbonSystem {
 public:
  // num_rows: a multiple of 128, from 256 on.
  RibbonSystem(const RibbonSolver& solver, uint32_t num_rows);

  // Takes the hashes of the list, which must outlive this object; only Clear may be called then.
  // Tries num_seeds seeds, 1 to 256, from first_seed on; 0 follows 255. Returns false if none has a
  // solution.
  bool Solve(filter::HashList* hashes, uint8_t first_seed, uint32_t num_seeds);
  uint8_t seed() const { return seed_; }

  // Writes a payload of any multiple of 16 bytes from 16 on, which holds zeros.
  void WritePayload(uint64_t payload_bytes, char* payload);

  // Calls f(const uint64_t* hashes, size_t n) for all hashes, after Solve.
  template <typename F>
  void ForEachRun(F f) const {
    for (size_t group = 0; group < groups_.num_groups(); ++group) groups_.ForEachRun(group, f);
  }

 private:
  uint64_t raw_seed() const { return RibbonView::RawSeed(seed_); }
  uint32_t NumRows(size_t group) const;

  bool SolveWithSeed();
  RibbonSolved SolveGroup(size_t group, WaitingEquations* waiting, RibbonEquation* rows);
  bool InsertOneByOne();
  bool Insert(uint64_t hash);

  const RibbonSolver solver_;
  const uint32_t num_rows_;
  const uint32_t num_starts_;
  uint8_t seed_ = 0;
  filter::HashGroups groups_;

  bool keeps_rows_ = false;
  std::unique_ptr<RibbonEquation[]> rows_;  // all, or those of a group
  std::vector<WaitingEquations> waiting_;   // at the start of each group; if no rows are kept

  // The keys of a group, in order of start / 8, and room for a solver to read ahead.
  filter::HashBuffer sorted_hashes_;
  std::vector<uint16_t> sorted_starts_;
  std::vector<uint16_t> starts_;  // unsorted
};

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_SYSTEM_H_
