// The standard Bloom filter, whose probes range over all bits: docs/format.md, section 3.6.
#ifndef BLOOMLINE_IN_MEMORY_STANDARD_BLOOM_H_
#define BLOOMLINE_IN_MEMORY_STANDARD_BLOOM_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::in_memory {

// `data` begins on an 8-byte boundary; num_bits is a multiple of 64.
struct StandardBits {
  char* data;
  uint64_t num_bits;
  int num_probes;
};

// As the functions of bloom_bits.h. StandardAtomicAddHashes and StandardMayMatchHashes allow other
// threads to set bits meanwhile.
void StandardAddHashes(const StandardBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void StandardAtomicAddHashes(const StandardBits& bits, size_t n, const uint64_t* hashes,
                             bool* changed);
// At most kBatchKeys hashes.
void StandardMayMatchHashes(const StandardBits& bits, size_t n, const uint64_t* hashes,
                            bool* may_match);

// The same for one key.
bool StandardAddHash(const StandardBits& bits, uint64_t hash);
bool StandardMayMatchHash(const StandardBits& bits, uint64_t hash);

// Prefetch the cache lines of a key: all of them, because adding a key touches all; and only the
// first, because most missing keys need no more than two.
void PrefetchStandardForAdd(const StandardBits& bits, uint64_t hash);
void PrefetchStandardForQuery(const StandardBits& bits, uint64_t hash);

}  // namespace bloomline::in_memory

#endif  // BLOOMLINE_IN_MEMORY_STANDARD_BLOOM_H_
