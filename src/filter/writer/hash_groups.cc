#include "src/filter/writer/hash_groups.h"

#include <algorithm>
#include <new>

#include "src/filter/bits/probe_sequence.h"

namespace bloomline::filter {
namespace {

// A unit in words, the first of which is its header. Large units suit large lists: each is begun
// with a cache miss. Chunks of 64 KiB have 8,189 hashes, and those of 2 MiB 262,141: with units of
// 256 or 1,024 words, 253 or 1,021 of them would be no whole unit, and lists of fewer than 104,000
// hashes, or of several threads' builders, would often need more than an eighth of additional
// memory.
constexpr size_t kUnitWords = 1023;
constexpr size_t kSmallUnitWords = 255;
constexpr size_t kLargeList = size_t{2} << 20;

size_t UnitWords(size_t num_hashes) {
  return num_hashes >= kLargeList ? kUnitWords : kSmallUnitWords;
}

}  // namespace

HashGroups::HashGroups(uint64_t num_blocks, int group_shift)
    : num_blocks_(num_blocks),
      group_shift_(group_shift),
      num_groups_(static_cast<size_t>((num_blocks - 1) >> group_shift) + 1) {}

BlockRun HashGroups::GroupBlocks(size_t group) const {
  const uint64_t first = uint64_t{group} << group_shift_;
  const uint64_t count = std::min(uint64_t{1} << group_shift_, num_blocks_ - first);
  return {first, static_cast<size_t>(count)};
}

size_t HashGroups::ExtraBytes(const HashList& list) const {
  const size_t words = UnitWords(list.size());
  // Hashes in use are at most those that have been read. They fill units, except for one of each
  // group, and a unit has one hash less than a piece. A piece becomes a unit only when its end is
  // read.
  size_t hashes = list.size() / words + 2 * words;
  list.ForEachChunk([&](const uint64_t*, size_t n) { hashes += n % words; });
  const size_t units = num_groups_ + hashes / (words - 1) + 1;
  const size_t bytes = units * words * sizeof(uint64_t);
  return bytes <= list.size() * sizeof(uint64_t) / 8 ? bytes : SIZE_MAX;
}

bool HashGroups::Take(HashList* list) {
  const size_t extra_bytes = ExtraBytes(*list);
  if (extra_bytes == SIZE_MAX) return false;
  const size_t words = UnitWords(list->size());
  groups_.assign(num_groups_, Group());
  extra_.Reserve(extra_bytes / sizeof(uint64_t));
  unit_hashes_ = words - 1;
  free_ = nullptr;
  for (size_t i = extra_bytes / sizeof(uint64_t); i != 0; i -= words) {
    AddFree(extra_.data() + i - words);
  }
  list->ForEachChunk([&](uint64_t* hashes, size_t n) {
    for (; n >= words; n -= words, hashes += words) {
      Move(hashes, words);
      AddFree(hashes);
    }
    Move(hashes, n);
  });
  return true;
}

void HashGroups::AddFree(uint64_t* memory) { free_ = new (memory) Unit{free_}; }

void HashGroups::Move(const uint64_t* hashes, size_t n) {
  // Copies: the compiler must assume that writing hashes changes members.
  Group* const groups = groups_.data();
  const uint64_t num_blocks = num_blocks_;
  const int shift = group_shift_;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t hash = hashes[i];
    Group& group = groups[kernels::BlockIndex(hash, num_blocks) >> shift];
    if (group.next == group.end) {
      Unit* const unit = free_;
      free_ = unit->next;
      Unit*& link = group.last == nullptr ? group.first : group.last->next;
      link = unit;
      group.last = unit;
      group.next = unit->hashes();
      group.end = group.next + unit_hashes_;
    }
    *group.next++ = hash;
  }
}

}  // namespace bloomline::filter
