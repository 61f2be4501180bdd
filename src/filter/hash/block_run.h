// Consecutive blocks of a filter, filled from hashes that are sorted by block.
#ifndef BLOOMLINE_FILTER_HASH_BLOCK_RUN_H_
#define BLOOMLINE_FILTER_HASH_BLOCK_RUN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/filter/bits/probe_sequence.h"

namespace bloomline::filter {

// Blocks first_block .. first_block + num_blocks - 1.
struct BlockRun {
  uint64_t first_block;
  size_t num_blocks;
};

// Drops equal hashes, which are one equation. Returns how many are left, at the start of the array.
inline size_t DropRepeats(uint64_t* hashes, size_t n) {
  std::sort(hashes, hashes + n);
  return static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
}

// A counting sort of a run's hashes by block. The object holds where each block's hashes end, the
// caller holds the sorted hashes. (Sort ForEachBlock*)*.
class KeysByBlock {
 public:
  // For a filter of num_blocks blocks.
  KeysByBlock(uint64_t num_blocks, BlockRun run)
      : num_blocks_(num_blocks), first_block_(run.first_block), ends_(run.num_blocks) {}

  // for_each_hash(f) calls f with each hash of the run, twice in the same way. `sorted` has room
  // for all of them.
  template <typename ForEachHash>
  void Sort(ForEachHash for_each_hash, uint64_t* sorted) {
    // Copies of the members: the compiler must assume that writing to `sorted` changes members.
    size_t* const ends = ends_.data();
    const auto block_of = [num_blocks = num_blocks_, first = first_block_](uint64_t hash) {
      return static_cast<size_t>(kernels::BlockIndex(hash, num_blocks) - first);
    };
    std::fill(ends_.begin(), ends_.end(), 0);
    for_each_hash([=](uint64_t hash) { ++ends[block_of(hash)]; });
    size_t start = 0;
    for (size_t& end : ends_) {
      const size_t count = end;
      end = start;
      start += count;
    }
    for_each_hash([=](uint64_t hash) { sorted[ends[block_of(hash)]++] = hash; });
  }

  // Calls f(block, hashes, how many) for all blocks that Sort has made.
  template <typename F>
  void ForEachBlock(uint64_t* sorted, F f) const {
    size_t start = 0;
    for (size_t i = 0; i < ends_.size(); ++i) {
      f(i, sorted + start, ends_[i] - start);
      start = ends_[i];
    }
  }

 private:
  uint64_t num_blocks_;
  uint64_t first_block_;
  std::vector<size_t> ends_;  // of each block in the sorted hashes
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_HASH_BLOCK_RUN_H_
