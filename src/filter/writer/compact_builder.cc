#include "src/filter/writer/compact_builder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

#include "src/filter/kernels/compact/compact_block.h"
#include "src/filter/kernels/compact/compact_bloom_block.h"
#include "src/filter/writer/hash_buffer.h"
#include "src/filter/writer/keys_by_block.h"
#include "src/filter/writer/partition.h"
#include "src/filter/writer/run_on_threads.h"
#include "src/support/out_of_memory.h"

namespace bloomline::filter {

namespace {

// A block needs all its keys at once, so keys are sorted by block, one partition of the filter
// after the other: temporary memory is then a fraction of the list instead of twice the list. Each
// partition costs a pass over the list, 0.4 ns per key. A large partition is divided once more, so
// that its keys are in the cache while they are sorted: two times sqrt(p) passes instead of p.
constexpr size_t kMinPartitions = 5;
constexpr size_t kKeysToSort = 512 << 10;

// Sorts and solves the hashes of a partition. `sorted` has room for n. Throws bad_alloc.
void SolvePartition(Partition partition, const uint64_t* hashes, size_t n, uint64_t* sorted,
                    const FilterShape& shape, const kernels::Kernel& kernel, char* data) {
  KeysByBlock by_block(shape.num_blocks, partition);
  by_block.Sort(hashes, n, sorted);
  char* const first = data + partition.first_block * shape.block_bytes;
  by_block.ForEachGroup(sorted, [&](size_t i, uint64_t* of_block, size_t count) {
    SolveBlock(of_block, count, shape, kernel, first + i * shape.block_bytes);
  });
}

// Selects the hashes of a partition: (Start Reserve? Add*)*. Throws bad_alloc.
class PartitionHashes {
 public:
  void Start(Partition partition, uint64_t num_blocks) {
    range_ = HashesOf(partition, num_blocks);
    size_ = 0;
  }

  // A batch of hashes, at most so many, since there must be room for all of them.
  static constexpr size_t kMaxBatch = 8192;
  void Add(const uint64_t* hashes, size_t n) {
    for (size_t start = 0; start < n; start += kMaxBatch) {
      const size_t count = std::min(kMaxBatch, n - start);
      Reserve(size_ + count);
      size_ += CopyInRange(range_, hashes + start, count, hashes_.data() + size_);
    }
  }

  void Reserve(size_t capacity) {
    if (capacity > hashes_.capacity()) hashes_.Reserve(capacity + capacity / 16, size_);
  }

  const uint64_t* hashes() const { return hashes_.data(); }
  size_t size() const { return size_; }

 private:
  HashRange range_ = {};
  HashBuffer hashes_;
  size_t size_ = 0;
};

// Builds one partition after the other, on one thread. Throws bad_alloc.
class PartitionBuilder {
 public:
  PartitionBuilder(const HashList& list, const FilterShape& shape, const kernels::Kernel& kernel,
                   size_t num_partitions, char* data)
      : list_(list),
        shape_(shape),
        kernel_(kernel),
        expected_size_(list.size() / num_partitions),
        data_(data) {}

  void Build(Partition partition) {
    hashes_.Start(partition, shape_.num_blocks);
    hashes_.Reserve(expected_size_ + PartitionHashes::kMaxBatch);
    list_.ForEachChunk([&](const uint64_t* hashes, size_t n) { hashes_.Add(hashes, n); });
    const size_t num_smaller = hashes_.size() / kKeysToSort + 1;
    if (num_smaller == 1) return Solve(partition, hashes_);
    for (size_t i = 0; i < num_smaller; ++i) {
      const Partition smaller = PartitionOf(partition, num_smaller, i);
      if (smaller.num_blocks == 0) continue;
      smaller_hashes_.Start(smaller, shape_.num_blocks);
      smaller_hashes_.Reserve(hashes_.size() / num_smaller + PartitionHashes::kMaxBatch);
      smaller_hashes_.Add(hashes_.hashes(), hashes_.size());
      Solve(smaller, smaller_hashes_);
    }
  }

 private:
  void Solve(Partition partition, const PartitionHashes& from) {
    if (sorted_.capacity() < from.size()) sorted_.Reserve(from.size() + from.size() / 16);
    SolvePartition(partition, from.hashes(), from.size(), sorted_.data(), shape_, kernel_, data_);
  }

  const HashList& list_;
  const FilterShape& shape_;
  const kernels::Kernel& kernel_;
  const size_t expected_size_;
  char* const data_;
  PartitionHashes hashes_;
  PartitionHashes smaller_hashes_;
  HashBuffer sorted_;
};

size_t NumPartitions(size_t num_keys, size_t num_threads) {
  const double sorts = static_cast<double>(num_keys) / static_cast<double>(kKeysToSort);
  return std::max(kMinPartitions * num_threads, static_cast<size_t>(std::ceil(std::sqrt(sorts))));
}

}  // namespace

void MatchAll(const FilterShape& shape, Partition blocks, char* data) {
  char* const first = data + blocks.first_block * shape.block_bytes;
  for (size_t i = 0; i < blocks.num_blocks; ++i) {
    kernels::WriteMatchAllBlock(kernels::kArrangements[shape.arrangement],
                                first + i * shape.block_bytes);
  }
}

void SolveBlock(uint64_t* hashes, size_t n, const FilterShape& shape, const kernels::Kernel& kernel,
                char* block) {
  std::memset(block, 0, shape.block_bytes);
  if (n == 0) return;
  if (n > kernels::kMaxCompactSlots) {
    // Equal hashes are one equation.
    std::sort(hashes, hashes + n);
    n = static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
  }
  const bool solved =
      n <= kernels::kMaxCompactSlots && kernel.compact.solve(shape.arrangement, hashes, n, block);
  if (!solved)
    kernels::WriteBloomBlock(kernels::kArrangements[shape.arrangement], hashes, n, block);
}

bool BuildCompact(const HashList& hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data) {
  const size_t threads = static_cast<size_t>(std::max(1, num_threads));
  const size_t num_partitions = NumPartitions(hashes.size(), threads);
  std::atomic<size_t> next_partition{0};
  std::atomic<bool> complete{true};
  RunOnThreads(threads, [&](size_t) {
    PartitionBuilder builder(hashes, shape, kernel, num_partitions, data);
    for (size_t i; (i = next_partition.fetch_add(1)) < num_partitions;) {
      const Partition partition = PartitionOf({0, shape.num_blocks}, num_partitions, i);
      if (partition.num_blocks == 0) continue;
      const bool built = support::OrIfOutOfMemory(false, [&] {
        builder.Build(partition);
        return true;
      });
      if (!built) {
        complete = false;
        MatchAll(shape, partition, data);
      }
    }
  });
  return complete;
}

void BuildCompactFromArray(uint64_t* hashes, size_t n, const FilterShape& shape,
                           const kernels::Kernel& kernel, char* data) {
  if (shape.num_blocks == 1) {
    SolveBlock(hashes, n, shape, kernel, data);
    return;
  }
  std::vector<uint64_t> sorted(n);
  SolvePartition({0, shape.num_blocks}, hashes, n, sorted.data(), shape, kernel, data);
}

}  // namespace bloomline::filter
