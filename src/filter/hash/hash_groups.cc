#include "src/filter/hash/hash_groups.h"

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

}  // namespace

size_t HashGroups::UnitWords(size_t num_hashes) {
  return num_hashes >= kLargeList ? kUnitWords : kSmallUnitWords;
}

size_t HashGroups::ExtraUnits(const HashList& list, size_t unit_words) const {
  // Hashes in use are at most those that have been read. They fill units, except for one of each
  // group, and a unit has one hash less than a piece. A piece becomes a unit only when its end is
  // read.
  size_t hashes = list.size() / unit_words + 2 * unit_words;
  list.ForEachChunk([&](const uint64_t*, size_t n) { hashes += n % unit_words; });
  return num_groups_ + hashes / (unit_words - 1) + 1;
}

void HashGroups::AddUnits(HashBuffer* memory, size_t num_units) {
  const size_t unit_words = unit_hashes_ + 1;
  memory->Reserve(num_units * unit_words);
  for (size_t i = num_units; i-- != 0;) AddFree(memory->data() + i * unit_words);
}

}  // namespace bloomline::filter
