// Partitions: ranges of a filter's blocks, filled one after the other from sorted hashes. The block
// of a hash is the upper half of hash times number of blocks, so the hashes of a run are a
// range of numbers.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCK_RUN_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCK_RUN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/filter/cpu/probe_sequence.h"

namespace bloomline::filter {

// Blocks first_block .. first_block + num_blocks - 1.
struct BlockRun {
  uint64_t first_block;
  size_t num_blocks;
};

// The lowest hash of a block; 0 <= block < num_blocks. It is block * 2^64 / num_blocks, rounded up,
// found bit by bit: a division of 128 bits is not for every compiler. Two calls for each run.
inline uint64_t FirstHashOfBlock(uint64_t block, uint64_t num_blocks) {
  uint64_t first = 0;
  for (uint64_t bit = uint64_t{1} << 63; bit != 0; bit >>= 1) {
    if (kernels::BlockIndex(first + (bit - 1), num_blocks) < block) first += bit;
  }
  return first;
}

struct HashRange {
  uint64_t first;
  uint64_t last;
};

// The hashes of a run that is not empty, of a filter of num_blocks blocks.
inline HashRange HashesOf(BlockRun run, uint64_t num_blocks) {
  const uint64_t end_block = run.first_block + run.num_blocks;
  return {FirstHashOfBlock(run.first_block, num_blocks),
          end_block == num_blocks ? UINT64_MAX : FirstHashOfBlock(end_block, num_blocks) - 1};
}

// Copies those of n hashes that are in the range to `dst`, which has room for all, and returns how
// many. Each hash is written, and kept only if it is in the range: no branch to mispredict.
inline size_t CopyInRange(HashRange range, const uint64_t* hashes, size_t n, uint64_t* dst) {
  const uint64_t first = range.first;
  const uint64_t span = range.last - range.first;
  size_t size = 0;
  for (size_t i = 0; i < n; ++i) {
    dst[size] = hashes[i];
    size += hashes[i] - first <= span ? 1 : 0;
  }
  return size;
}

// Equal hashes are one equation. Returns how many are left, the first ones of the array.
inline size_t DropRepeats(uint64_t* hashes, size_t n) {
  std::sort(hashes, hashes + n);
  return static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
}

// A counting sort of a run's hashes by block. The object has where those of each block end;
// the caller has the sorted hashes. (Sort ForEachBlock*)*.
class KeysByBlock {
 public:
  // For a filter of num_blocks blocks.
  KeysByBlock(uint64_t num_blocks, BlockRun run)
      : num_blocks_(num_blocks), first_block_(run.first_block), ends_(run.num_blocks) {}

  // for_each_hash(f) calls f with each hash, twice with the same ones. All are of the run,
  // and `sorted` has room for them.
  template <typename ForEachHash>
  void Sort(ForEachHash for_each_hash, uint64_t* sorted) {
    // Copies of the members: writing to `sorted` could change these for all that the compiler
    // knows.
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
  void Sort(const uint64_t* hashes, size_t n, uint64_t* sorted) {
    Sort(
        [=](auto f) {
          for (size_t i = 0; i < n; ++i) f(hashes[i]);
        },
        sorted);
  }

  // f(block, hashes, how many) for all blocks of what Sort has made.
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

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCK_RUN_H_
