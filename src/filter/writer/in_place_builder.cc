#include "src/filter/writer/in_place_builder.h"

#include <cmath>

#include "src/filter/writer/bloom_builder.h"
#include "src/filter/writer/compact_builder.h"
#include "src/filter/writer/hash_buffer.h"
#include "src/filter/writer/keys_by_block.h"
#include "src/support/out_of_memory.h"

namespace bloomline::filter {
namespace {

// From so many keys on, groups are faster than what compact_builder.h does. They begin at 46,000,
// when the list is large enough for what they need in addition.
constexpr size_t kCompactFromKeys = 32 << 10;

// The shift of groups of about 16 sqrt(n) keys: each costs memory that is not full yet, and each is
// sorted by block in memory of its own, which should stay in the L2 cache.
int CompactGroupShift(size_t num_keys, uint64_t num_blocks) {
  const double groups = std::sqrt(static_cast<double>(num_keys)) / 16;
  int shift = 0;
  while (static_cast<double>(num_blocks >> (shift + 1)) >= groups) ++shift;
  return shift;
}

bool IsWorthIt(const HashList& hashes, const FilterShape& shape) {
  if (shape.layout == Layout::kCompact) return hashes.size() >= kCompactFromKeys;
  return shape.layout == Layout::kBlocked && shape.payload_bytes() >= kPartitionFromBytes;
}

int GroupShift(const HashList& hashes, const FilterShape& shape) {
  return shape.layout == Layout::kCompact ? CompactGroupShift(hashes.size(), shape.num_blocks)
                                          : BloomPartitionShift(shape.num_blocks);
}

void InsertGroups(const HashGroups& groups, const FilterShape& shape, const kernels::Kernel& kernel,
                  char* data) {
  for (size_t group = 0; group < groups.num_groups(); ++group) {
    groups.ForEachRun(group, [&](const uint64_t* hashes, size_t n) {
      InsertHashes(shape, kernel, data, n, hashes);
    });
  }
}

// Throws bad_alloc.
void SolveGroup(const HashGroups& groups, size_t group, const FilterShape& shape,
                const kernels::Kernel& kernel, HashBuffer* sorted, char* data) {
  const Partition blocks = groups.BlocksOf(group);
  const size_t size = groups.GroupSize(group);
  if (sorted->capacity() < size) sorted->Reserve(size + size / 16);
  KeysByBlock by_block(shape.num_blocks, blocks);
  by_block.Sort(
      [&](auto f) {
        groups.ForEachRun(group, [&](const uint64_t* hashes, size_t n) {
          for (size_t i = 0; i < n; ++i) f(hashes[i]);
        });
      },
      sorted->data());
  char* const first = data + blocks.first_block * shape.block_bytes;
  by_block.ForEachGroup(sorted->data(), [&](size_t i, uint64_t* of_block, size_t count) {
    SolveBlock(of_block, count, shape, kernel, first + i * shape.block_bytes);
  });
}

bool SolveGroups(const HashGroups& groups, const FilterShape& shape, const kernels::Kernel& kernel,
                 char* data) {
  HashBuffer sorted;
  bool complete = true;
  for (size_t group = 0; group < groups.num_groups(); ++group) {
    const bool solved = support::OrIfOutOfMemory(false, [&] {
      SolveGroup(groups, group, shape, kernel, &sorted, data);
      return true;
    });
    if (solved) continue;
    complete = false;
    MatchAll(shape, groups.BlocksOf(group), data);
  }
  return complete;
}

}  // namespace

InPlace BuildInPlace(HashList* hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                     char* data, std::optional<HashGroups>* groups) {
  groups->reset();
  if (!IsWorthIt(*hashes, shape)) return InPlace::kNotDone;
  groups->emplace(shape.num_blocks, GroupShift(*hashes, shape));
  if (!(*groups)->Take(hashes)) {
    groups->reset();
    return InPlace::kNotDone;
  }
  if (shape.layout == Layout::kCompact) {
    return SolveGroups(**groups, shape, kernel, data) ? InPlace::kComplete : InPlace::kIncomplete;
  }
  InsertGroups(**groups, shape, kernel, data);
  return InPlace::kComplete;
}

uint64_t InPlaceBytes(const HashList& hashes, const FilterShape& shape) {
  if (!IsWorthIt(hashes, shape)) return 0;
  const HashGroups groups(shape.num_blocks, GroupShift(hashes, shape));
  const size_t extra = groups.ExtraBytes(hashes);
  if (extra == SIZE_MAX || shape.layout != Layout::kCompact) return extra == SIZE_MAX ? 0 : extra;
  return extra + hashes.size() / groups.num_groups() * sizeof(uint64_t) * 9 / 8;
}

}  // namespace bloomline::filter
