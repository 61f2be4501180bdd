// A counting sort of hashes by the block that they belong to.
#ifndef BLOOMLINE_FILTER_WRITER_KEYS_BY_BLOCK_H_
#define BLOOMLINE_FILTER_WRITER_KEYS_BY_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/filter/kernels/probe_sequence.h"
#include "src/filter/writer/partition.h"

namespace bloomline::filter {

// Sorts the hashes of a partition by block. The object has where those of each block end; the
// caller has the sorted hashes. (Sort ForEachBlock*)*.
class KeysByBlock {
 public:
  // For a filter of num_blocks blocks. Throws bad_alloc.
  KeysByBlock(uint64_t num_blocks, Partition partition)
      : num_blocks_(num_blocks), first_block_(partition.first_block), ends_(partition.num_blocks) {}

  // for_each_hash(f) calls f with each hash, twice with the same ones. All are of the partition,
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

#endif  // BLOOMLINE_FILTER_WRITER_KEYS_BY_BLOCK_H_
