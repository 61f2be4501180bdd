#include "src/filter/writer/bloom_builder.h"

#include <algorithm>
#include <new>
#include <vector>

#include "src/filter/kernels/leveldb_bloom.h"
#include "src/filter/writer/hash_buffer.h"
#include "src/filter/writer/keys_by_block.h"
#include "src/filter/writer/run_on_threads.h"

namespace bloomline::filter {
namespace {

// The blocks of a partition should stay in the L2 cache while its keys are inserted.
constexpr uint64_t kPartitionBlocks = (uint64_t{256} << 10) / kernels::kBlockBytes;
// More partitions, a write stream each, cost more in the sort than they save in the insertion.
constexpr uint64_t kMaxPartitions = 2048;
// The list is sorted in so many rounds, so that the sorted copy stays small beside it.
constexpr size_t kRounds = 8;

// `size` consecutive hashes of a list, from the first of a chunk on, which may be the rest of one.
struct Batch {
  HashList::Chunk first;
  size_t size = 0;

  template <typename F>
  void ForEach(const HashList& list, F f) const {
    HashList::Chunk chunk = first;
    for (size_t left = size; left != 0;) {
      const size_t count = std::min(chunk.size, left);
      for (size_t i = 0; i < count; ++i) f(chunk.hashes[i]);
      left -= count;
      if (left != 0) chunk = list.ChunkAfter(chunk);
    }
  }
};

// The next `size` hashes, or what is left; `*next` moves behind them, to null at the end.
Batch TakeBatch(const HashList& list, size_t size, HashList::Chunk* next) {
  Batch batch = {*next, 0};
  while (next->hashes != nullptr && batch.size < size) {
    const size_t taken = std::min(next->size, size - batch.size);
    batch.size += taken;
    if (taken < next->size) {
      next->hashes += taken;
      next->size -= taken;
    } else {
      *next = next->next == nullptr ? HashList::Chunk() : list.ChunkAfter(*next);
    }
  }
  return batch;
}

void InsertInOrder(const HashList& hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                   char* data) {
  for (HashList::Chunk chunk = hashes.FirstChunk();; chunk = hashes.ChunkAfter(chunk)) {
    InsertHashes(shape, kernel, data, chunk.size, chunk.hashes);
    if (chunk.next == nullptr) return;
  }
}

// In each round, threads first sort a batch each, then take partitions, so that no two write the
// same block. Throws bad_alloc, with some of the bits set.
void InsertByPartitions(const HashList& list, const FilterShape& shape,
                        const kernels::Kernel& kernel, int max_threads, char* data) {
  const KeysByBlock by_partition(shape.num_blocks, {0, shape.num_blocks},
                                 BloomPartitionShift(shape.num_blocks));
  const size_t num_partitions = by_partition.num_groups();
  // More threads than partitions would have nothing to insert, yet be started in each round.
  const size_t num_threads =
      std::min(num_partitions, static_cast<size_t>(std::max(1, max_threads)));
  const size_t batch_size = list.size() / kRounds / num_threads + 1;
  // A batch for each thread and its hashes sorted by partition, in memory that is used again.
  std::vector<Batch> batches(num_threads);
  std::vector<HashBuffer> sorted(num_threads);
  std::vector<KeysByBlock> sorters(num_threads, by_partition);
  std::vector<char> failed(num_threads, 0);
  for (HashList::Chunk next = list.FirstChunk(); next.hashes != nullptr;) {
    for (Batch& batch : batches) batch = TakeBatch(list, batch_size, &next);
    RunOnThreads(num_threads, [&](size_t t) {
      try {
        sorted[t].Reserve(batches[t].size);
        sorters[t].Sort([&](auto f) { batches[t].ForEach(list, f); }, sorted[t].data());
      } catch (const std::bad_alloc&) {
        failed[t] = 1;
      }
    });
    if (std::count(failed.begin(), failed.end(), 1) != 0) throw std::bad_alloc();
    RunOnThreads(num_threads, [&](size_t t) {
      const size_t end = num_partitions * (t + 1) / num_threads;
      for (size_t p = num_partitions * t / num_threads; p < end; ++p) {
        for (size_t source = 0; source < num_threads; ++source) {
          const auto insert = [&](size_t, const uint64_t* hashes, size_t n) {
            InsertHashes(shape, kernel, data, n, hashes);
          };
          sorters[source].ForEachGroup(sorted[source].data(), p, p + 1, insert);
        }
      }
    });
  }
}

}  // namespace

int BloomPartitionShift(uint64_t num_blocks) {
  int shift = 0;
  while ((uint64_t{1} << shift) < kPartitionBlocks) ++shift;
  while ((num_blocks >> shift) >= kMaxPartitions) ++shift;
  return shift;
}

void InsertHashes(const FilterShape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes) {
  switch (shape.layout) {
    case Layout::kClassic:
      for (size_t i = 0; i < n; ++i) {
        kernels::LevelDBBloomInsert(data, shape.num_blocks * 8, shape.num_probes,
                                    static_cast<uint32_t>(hashes[i]));
      }
      break;
    case Layout::kBlocked:
      kernel.blocked.insert_many(ForKernel(shape, data), n, hashes);
      break;
    case Layout::kFlat:
      kernel.flat.insert_many(ForKernel(shape, data), n, hashes);
      break;
    case Layout::kCompact:
    case Layout::kSmallSet:
    case Layout::kAlwaysMatch:
      break;
  }
}

void BuildBloom(const HashList& hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                int num_threads, char* data) {
  if (shape.layout == Layout::kBlocked && shape.payload_bytes() >= kPartitionFromBytes) {
    try {
      InsertByPartitions(hashes, shape, kernel, num_threads, data);
      return;
    } catch (const std::bad_alloc&) {
      // Setting a bit twice does no harm: start over without memory.
    }
  }
  InsertInOrder(hashes, shape, kernel, data);
}

}  // namespace bloomline::filter
