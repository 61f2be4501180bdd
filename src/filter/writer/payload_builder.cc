#include "src/filter/writer/payload_builder.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "src/filter/hash/block_run.h"
#include "src/filter/hash/hash_groups.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/run_on_threads.h"

namespace bloomline::filter {
namespace {

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

// From this many keys on, groups are faster than one sort. Groups are used from 46,000 keys on,
// when the list is large enough for the memory that they need in addition.
constexpr size_t kCompactFromKeys = 32 << 10;

// The shift of groups of about 16 sqrt(n) keys: each costs memory that is not full yet, and the
// memory in which each is sorted by block should stay in the L2 cache.
int CompactGroupShift(size_t num_keys, uint64_t num_blocks) {
  const double groups = std::sqrt(static_cast<double>(num_keys)) / 16;
  int shift = 0;
  while (static_cast<double>(num_blocks >> (shift + 1)) >= groups) ++shift;
  return shift;
}

// The payload that is built.
struct Target {
  const FilterShape& shape;
  const LayoutRow& row;
  const kernels::Kernel& kernel;
  char* data;

  void Insert(const uint64_t* hashes, size_t n) const {
    row.insert(shape, kernel, data, n, hashes);
  }

  // Solves blocks for their n hashes: for_each_hash(f) calls f with each.
  template <typename ForEachHash>
  void SolveBlocks(BlockRun blocks, size_t n, ForEachHash for_each_hash, HashBuffer* sorted) const {
    if (sorted->capacity() < n) sorted->Reserve(n + n / 16);
    KeysByBlock by_block(shape.num_blocks, blocks);
    by_block.Sort(for_each_hash, sorted->data());
    char* const first = data + blocks.first_block * shape.block_bytes;
    by_block.ForEachBlock(sorted->data(), [&](size_t i, uint64_t* of_block, size_t count) {
      row.solve_block(of_block, count, shape, kernel, first + i * shape.block_bytes);
    });
  }
};

bool GroupingPays(const HashList& hashes, const Target& target) {
  if (!target.row.is_bloom()) return hashes.size() >= kCompactFromKeys;
  return target.row.hash == HashKind::kXxh3 && target.shape.has_blocks() &&
         target.shape.payload_bytes() >= kGroupedFromBytes;
}

int GroupShift(const HashList& hashes, const Target& target) {
  return target.row.is_bloom() ? BloomGroupShift(target.shape.num_blocks)
                               : CompactGroupShift(hashes.size(), target.shape.num_blocks);
}

void BuildGroup(const HashGroups& groups, BlockGroups group_of, size_t group, HashBuffer* sorted,
                const Target& target) {
  if (target.row.is_bloom()) {
    groups.ForEachRun(group, [&](const uint64_t* hashes, size_t n) { target.Insert(hashes, n); });
    return;
  }
  const auto for_each_hash = [&](auto f) {
    groups.ForEachRun(group, [&](const uint64_t* hashes, size_t n) {
      for (size_t i = 0; i < n; ++i) f(hashes[i]);
    });
  };
  target.SolveBlocks(group_of.Blocks(group), groups.GroupSize(group), for_each_hash, sorted);
}

void BuildGroups(const HashGroups& groups, BlockGroups group_of, const Target& target,
                 size_t num_threads) {
  std::atomic<size_t> next_group{0};
  RunOnThreads(std::min(num_threads, groups.num_groups()), [&](size_t) {
    HashBuffer sorted;
    for (size_t group; (group = next_group.fetch_add(1)) < groups.num_groups();) {
      BuildGroup(groups, group_of, group, &sorted, target);
    }
  });
}

void BuildInOrder(const HashList& hashes, const Target& target) {
  if (target.row.is_bloom()) {
    hashes.ForEachChunk([&](const uint64_t* chunk, size_t n) { target.Insert(chunk, n); });
    return;
  }
  HashBuffer sorted;
  target.SolveBlocks(
      {0, static_cast<size_t>(target.shape.num_blocks)}, hashes.size(),
      [&](auto f) { hashes.ForEach(f); }, &sorted);
}

}  // namespace

void BuildPayload(HashList* hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data) {
  const Target target = {shape, LayoutRowFor(shape.layout), kernel, data};
  if (GroupingPays(*hashes, target)) {
    const size_t threads = ThreadsForKeys(hashes->size(), num_threads);
    const BlockGroups group_of = {shape.num_blocks, GroupShift(*hashes, target)};
    HashGroups groups(group_of.size());
    if (groups.Take(hashes, group_of)) return BuildGroups(groups, group_of, target, threads);
  }
  BuildInOrder(*hashes, target);
}

}  // namespace bloomline::filter
