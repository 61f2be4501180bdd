#include "src/filter/writer/payload_builder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

#include "src/filter/container/leveldb_codes.h"
#include "src/filter/layouts/compact/compact_block.h"
#include "src/filter/layouts/compact/compact_bloom_block.h"
#include "src/filter/layouts/leveldb_bloom/leveldb_bloom.h"
#include "src/filter/layouts/small_set/small_set_block.h"
#include "src/filter/writer/block_run.h"
#include "src/filter/writer/hash_buffer.h"
#include "src/filter/writer/run_on_threads.h"
#include "src/support/out_of_memory.h"

namespace bloomline::filter {

// The decoder's limits are the kernels'.
static_assert(kMaxSmallSetBlockBytes == kernels::small_set::kMaxBlockBytes);
static_assert(kAttemptsPerCode == kernels::small_set::kHeaderAttempts &&
              kAttemptsPerCode * kNumOneBlockCodes == kernels::small_set::kMaxAttempts);

namespace {

// Equal hashes are one equation. Returns how many are left, the first ones of the array.
size_t DropRepeats(uint64_t* hashes, size_t n) {
  std::sort(hashes, hashes + n);
  return static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
}

// The blocks of a Bloom filter's group should stay in the L2 cache while its keys are inserted.
constexpr uint64_t kBloomGroupBlocks = (uint64_t{256} << 10) / kernels::kBlockBytes;
// More groups, a write stream each, cost more in the sort than they save in the insertion.
constexpr uint64_t kMaxBloomGroups = 2048;

int BloomGroupShift(uint64_t num_blocks) {
  int shift = 0;
  while ((uint64_t{1} << shift) < kBloomGroupBlocks) ++shift;
  while ((num_blocks >> shift) >= kMaxBloomGroups) ++shift;
  return shift;
}

// From so many keys on, groups are faster than one sort. They begin at 46,000, when the list is
// large enough for what they need in addition.
constexpr size_t kCompactFromKeys = 32 << 10;

// The shift of groups of about 16 sqrt(n) keys: each costs memory that is not full yet, and each is
// sorted by block in memory of its own, which should stay in the L2 cache.
int CompactGroupShift(size_t num_keys, uint64_t num_blocks) {
  const double groups = std::sqrt(static_cast<double>(num_keys)) / 16;
  int shift = 0;
  while (static_cast<double>(num_blocks >> (shift + 1)) >= groups) ++shift;
  return shift;
}

bool GroupingPays(const HashList& hashes, const FilterShape& shape) {
  if (IsSolved(shape.layout)) return hashes.size() >= kCompactFromKeys;
  return shape.layout == Layout::kBlocked && shape.payload_bytes() >= kGroupedFromBytes;
}

int GroupShift(const HashList& hashes, const FilterShape& shape) {
  return IsSolved(shape.layout) ? CompactGroupShift(hashes.size(), shape.num_blocks)
                                : BloomGroupShift(shape.num_blocks);
}

void WriteMatchAllBlocks(const FilterShape& shape, BlockRun blocks, char* data) {
  for (size_t i = 0; i < blocks.num_blocks; ++i) {
    kernels::WriteMatchAllBlock(kernels::kArrangements[shape.arrangement],
                                data + (blocks.first_block + i) * shape.block_bytes);
  }
}

// Solves blocks for their n hashes: for_each_hash(f) calls f with each. False: out of memory, and
// the blocks match every key.
template <typename ForEachHash>
bool SolveBlocks(BlockRun blocks, size_t n, ForEachHash for_each_hash, HashBuffer* sorted,
                 const FilterShape& shape, const kernels::Kernel& kernel, char* data) {
  const bool solved = support::OrIfOutOfMemory(false, [&] {
    if (sorted->capacity() < n) sorted->Reserve(n + n / 16);
    KeysByBlock by_block(shape.num_blocks, blocks);
    by_block.Sort(for_each_hash, sorted->data());
    char* const first = data + blocks.first_block * shape.block_bytes;
    by_block.ForEachBlock(sorted->data(), [&](size_t i, uint64_t* of_block, size_t count) {
      SolveBlock(of_block, count, shape, kernel, first + i * shape.block_bytes);
    });
    return true;
  });
  if (!solved) WriteMatchAllBlocks(shape, blocks, data);
  return solved;
}

bool BuildGroup(const HashGroups& groups, size_t group, HashBuffer* sorted,
                const FilterShape& shape, const kernels::Kernel& kernel, char* data) {
  if (!IsSolved(shape.layout)) {
    groups.ForEachRun(group, [&](const uint64_t* hashes, size_t n) {
      InsertHashes(shape, kernel, data, n, hashes);
    });
    return true;
  }
  const auto for_each_hash = [&](auto f) {
    groups.ForEachRun(group, [&](const uint64_t* hashes, size_t n) {
      for (size_t i = 0; i < n; ++i) f(hashes[i]);
    });
  };
  return SolveBlocks(groups.BlocksOf(group), groups.GroupSize(group), for_each_hash, sorted, shape,
                     kernel, data);
}

bool BuildGroups(const HashGroups& groups, const FilterShape& shape, const kernels::Kernel& kernel,
                 size_t num_threads, char* data) {
  std::atomic<size_t> next_group{0};
  std::atomic<bool> complete{true};
  RunOnThreads(std::min(num_threads, groups.num_groups()), [&](size_t) {
    HashBuffer sorted;
    for (size_t group; (group = next_group.fetch_add(1)) < groups.num_groups();) {
      if (!BuildGroup(groups, group, &sorted, shape, kernel, data)) complete = false;
    }
  });
  return complete;
}

bool BuildInOrder(const HashList& hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                  char* data) {
  if (!IsSolved(shape.layout)) {
    hashes.ForEachChunk(
        [&](const uint64_t* chunk, size_t n) { InsertHashes(shape, kernel, data, n, chunk); });
    return true;
  }
  HashBuffer sorted;
  return SolveBlocks(
      {0, static_cast<size_t>(shape.num_blocks)}, hashes.size(), [&](auto f) { hashes.ForEach(f); },
      &sorted, shape, kernel, data);
}

// Returns the number of the attempt. Throws nothing.
unsigned SolveSmallSetBlock(uint64_t* hashes, size_t n, unsigned num_attempts, uint32_t block_bytes,
                            const kernels::Kernel& kernel, char* block) {
  if (n > kernels::small_set::kMaxBlockSlots) n = DropRepeats(hashes, n);
  if (n <= kernels::small_set::kMaxBlockSlots) {
    const int attempt = kernel.small_set.solve(hashes, n, num_attempts, block_bytes, block);
    if (attempt >= 0) return static_cast<unsigned>(attempt);
  }
  std::memset(block, 0, block_bytes);
  static_assert(kernels::small_set::kMatchAllSlots == 0, "matches every key");
  return 0;
}

}  // namespace

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

void SolveBlock(uint64_t* hashes, size_t n, const FilterShape& shape, const kernels::Kernel& kernel,
                char* block) {
  std::memset(block, 0, shape.block_bytes);
  if (n == 0) return;
  if (n > kernels::kMaxCompactSlots) n = DropRepeats(hashes, n);
  const bool solved =
      n <= kernels::kMaxCompactSlots && kernel.compact.solve(shape.arrangement, hashes, n, block);
  if (solved) return;
  kernels::WriteBloomBlock(kernels::kArrangements[shape.arrangement], hashes, n, block);
}

void BuildSmallSet(uint64_t* hashes, size_t n, FilterShape* shape, const kernels::Kernel& kernel,
                   char* data) {
  if (shape->num_blocks == 1) {
    const unsigned attempt = SolveSmallSetBlock(hashes, n, kernels::small_set::kMaxAttempts,
                                                shape->block_bytes, kernel, data);
    shape->first_attempt = attempt / kAttemptsPerCode * kAttemptsPerCode;
    return;
  }
  std::vector<uint64_t> sorted(n);
  KeysByBlock by_block(shape->num_blocks, {0, static_cast<size_t>(shape->num_blocks)});
  by_block.Sort(hashes, n, sorted.data());
  by_block.ForEachBlock(sorted.data(), [&](size_t i, uint64_t* of_block, size_t count) {
    SolveSmallSetBlock(of_block, count, kAttemptsPerCode, shape->block_bytes, kernel,
                       data + i * shape->block_bytes);
  });
}

bool BuildPayload(HashList* hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data, std::optional<HashGroups>* groups) {
  groups->reset();
  if (GroupingPays(*hashes, shape)) {
    const int threads = ThreadsForKeys(hashes->size(), num_threads);
    groups->emplace(shape.num_blocks, GroupShift(*hashes, shape));
    if ((*groups)->Take(hashes)) {
      return BuildGroups(**groups, shape, kernel, static_cast<size_t>(threads), data);
    }
    groups->reset();
  }
  return BuildInOrder(*hashes, shape, kernel, data);
}

uint64_t TemporaryBytes(const HashList& hashes, const FilterShape& shape) {
  const bool is_solved = IsSolved(shape.layout);
  if (GroupingPays(hashes, shape)) {
    const HashGroups groups(shape.num_blocks, GroupShift(hashes, shape));
    const size_t extra = groups.ExtraBytes(hashes);
    const size_t group_bytes = hashes.size() / groups.num_groups() * sizeof(uint64_t) * 5 / 4;
    if (extra != SIZE_MAX) return extra + (is_solved ? group_bytes : 0);
  }
  // A sorted copy, and where the hashes of each block end.
  return is_solved ? hashes.size() * sizeof(uint64_t) * 17 / 16 + shape.num_blocks * sizeof(size_t)
                   : 0;
}

}  // namespace bloomline::filter
