// Filters whose probes range over all bits: docs/format.md, section 3.6.
#ifndef BLOOMLINE_IN_MEMORY_STANDARD_BLOOM_H_
#define BLOOMLINE_IN_MEMORY_STANDARD_BLOOM_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::filters {

// `data` is on an 8-byte boundary; num_bits is a multiple of 64.
struct StandardBits {
  char* data;
  uint64_t num_bits;
  int num_probes;
};

// As the functions of SharedKernel: add_many and may_match_many allow other threads to set bits.
void StandardAddMany(const StandardBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void StandardSharedAddMany(const StandardBits& bits, size_t n, const uint64_t* hashes,
                           bool* changed);
// Of up to kBatchKeys hashes.
void StandardMayMatchMany(const StandardBits& bits, size_t n, const uint64_t* hashes,
                          bool* may_match);

// Request all lines of a key, or the first probe's, for most absent keys need no more than two.
void RequestStandardForAdd(const StandardBits& bits, uint64_t hash);
void RequestStandardForQuery(const StandardBits& bits, uint64_t hash);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_STANDARD_BLOOM_H_
