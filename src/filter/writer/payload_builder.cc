#include "src/filter/writer/payload_builder.h"

#include <algorithm>
#include <atomic>

#include "src/filter/hash/hash_groups.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/run_on_threads.h"

namespace bloomline::filter {
namespace {

// The blocks of a group should stay in the L2 cache while its keys are inserted.
constexpr uint64_t kGroupBlocks = (uint64_t{256} << 10) / kernels::kBlockBytes;
// More groups, a write stream each, cost more in the sort than they save in the insertion.
constexpr uint64_t kMaxGroups = 2048;

int GroupShift(uint64_t num_blocks) {
  int shift = 0;
  while ((uint64_t{1} << shift) < kGroupBlocks) ++shift;
  while ((num_blocks >> shift) >= kMaxGroups) ++shift;
  return shift;
}

// The Bloom filter that is built.
struct Target {
  const FilterShape& shape;
  const LayoutRow& row;
  const kernels::Kernel& kernel;
  char* data;

  void Insert(const uint64_t* hashes, size_t n) const {
    row.insert(shape, kernel, data, n, hashes);
  }
};

bool GroupingPays(const Target& target) {
  return target.row.hash == HashFunction::kXxh3 && target.shape.has_blocks() &&
         target.shape.payload_bytes() >= kGroupedFromBytes;
}

void InsertGroups(const HashGroups& groups, const Target& target, size_t num_threads) {
  std::atomic<size_t> next_group{0};
  RunOnThreads(std::min(num_threads, groups.num_groups()), [&](size_t) {
    for (size_t group; (group = next_group.fetch_add(1)) < groups.num_groups();) {
      groups.ForEachRun(group, [&](const uint64_t* hashes, size_t n) { target.Insert(hashes, n); });
    }
  });
}

}  // namespace

void BuildPayload(HashList* hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data) {
  const Target target = {shape, LayoutRowFor(shape.layout), kernel, data};
  if (GroupingPays(target)) {
    const size_t threads = ThreadsForKeys(hashes->size(), num_threads);
    const BlockGroups group_of = {shape.num_blocks, GroupShift(shape.num_blocks)};
    HashGroups groups(group_of.size());
    if (groups.Take(hashes, group_of)) return InsertGroups(groups, target, threads);
  }
  hashes->ForEachChunk([&](const uint64_t* chunk, size_t n) { target.Insert(chunk, n); });
}

}  // namespace bloomline::filter
