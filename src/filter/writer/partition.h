// Partitions: ranges of a filter's blocks, filled one after the other. The block of a hash is the
// upper half of hash times number of blocks, so the hashes of a partition are a range of numbers.
#ifndef BLOOMLINE_FILTER_WRITER_PARTITION_H_
#define BLOOMLINE_FILTER_WRITER_PARTITION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/kernels/uint128.h"

namespace bloomline::filter {

// Blocks first_block .. first_block + num_blocks - 1.
struct Partition {
  uint64_t first_block;
  size_t num_blocks;
};

// The lowest hash of a block; 0 <= block < num_blocks.
inline uint64_t FirstHashOfBlock(uint64_t block, uint64_t num_blocks) {
  return static_cast<uint64_t>(((kernels::Uint128{block} << 64) + num_blocks - 1) / num_blocks);
}

struct HashRange {
  uint64_t first;
  uint64_t last;
};

// The hashes of a partition that is not empty, of a filter of num_blocks blocks.
inline HashRange HashesOf(Partition partition, uint64_t num_blocks) {
  const uint64_t end_block = partition.first_block + partition.num_blocks;
  return {FirstHashOfBlock(partition.first_block, num_blocks),
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

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_PARTITION_H_
