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

// Sorts the hashes of a partition by groups of 2^group_shift blocks; with 0, by block. The object
// has the ends of the groups; the caller has the sorted hashes. (Sort ForEachGroup*)*.
class KeysByBlock {
 public:
  // For a filter of num_blocks blocks. Throws bad_alloc.
  KeysByBlock(uint64_t num_blocks, Partition partition, int group_shift = 0)
      : num_blocks_(num_blocks),
        first_block_(partition.first_block),
        group_shift_(group_shift),
        ends_((partition.num_blocks + (uint64_t{1} << group_shift) - 1) >> group_shift) {}

  size_t num_groups() const { return ends_.size(); }

  // for_each_hash(f) calls f with each hash, twice with the same ones. All are of the partition,
  // and `sorted` has room for them.
  template <typename ForEachHash>
  void Sort(ForEachHash for_each_hash, uint64_t* sorted) {
    // Copies of the members: writing to `sorted` could change these for all that the compiler
    // knows.
    size_t* const ends = ends_.data();
    const auto group_of = [num_blocks = num_blocks_, first = first_block_,
                           shift = group_shift_](uint64_t hash) {
      return static_cast<size_t>((kernels::BlockIndex(hash, num_blocks) - first) >> shift);
    };
    std::fill(ends_.begin(), ends_.end(), 0);
    for_each_hash([=](uint64_t hash) { ++ends[group_of(hash)]; });
    size_t start = 0;
    for (size_t& end : ends_) {
      const size_t count = end;
      end = start;
      start += count;
    }
    for_each_hash([=](uint64_t hash) { sorted[ends[group_of(hash)]++] = hash; });
  }
  void Sort(const uint64_t* hashes, size_t n, uint64_t* sorted) {
    Sort(
        [=](auto f) {
          for (size_t i = 0; i < n; ++i) f(hashes[i]);
        },
        sorted);
  }

  // f(group, hashes, how many) for groups first .. end - 1 of what Sort has made.
  template <typename F>
  void ForEachGroup(uint64_t* sorted, size_t first, size_t end, F f) const {
    size_t start = first == 0 ? 0 : ends_[first - 1];
    for (size_t i = first; i < end; ++i) {
      f(i, sorted + start, ends_[i] - start);
      start = ends_[i];
    }
  }
  template <typename F>
  void ForEachGroup(uint64_t* sorted, F f) const {
    ForEachGroup(sorted, 0, num_groups(), f);
  }

 private:
  uint64_t num_blocks_;
  uint64_t first_block_;
  int group_shift_;
  std::vector<size_t> ends_;  // of each group in the sorted hashes
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_KEYS_BY_BLOCK_H_
