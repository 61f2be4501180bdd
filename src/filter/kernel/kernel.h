// A kernel answers queries and sets bits with one instruction set. Every kernel gives the bits and
// answers of the portable one, which is the specification. Only speed differs.
#ifndef BLOOMLINE_FILTER_KERNEL_KERNEL_H_
#define BLOOMLINE_FILTER_KERNEL_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"  // PayloadView
#include "src/filter/stock/stock_filter.h"

namespace bloomline::kernels {

// ---- The functions of a layout with one instruction set. The layout's folder has the makers.

// Blocked Bloom filters (docs/format.md, section 3.3): all bits of a key lie in one block of 512
// bits, which is one cache line (Putze, Sanders and Singler, 2007).
struct BlockedKernel {
  using MayMatch = bool (*)(const PayloadView& filter, uint64_t hash);
  using Add = bool (*)(const PayloadView& filter, uint64_t hash);

  MayMatch may_match = nullptr;
  // may_match specialised for a fixed k, so that k is not read per query: up to 7 % faster. It
  // suits callers that keep the pointer, and only filters with this k.
  MayMatch (*may_match_for)(int num_probes) = nullptr;
  // Prefetches nothing: the caller prefetches while it computes the hashes (PrefetchBlock in
  // probe_sequence.h).
  void (*may_match_many)(const PayloadView& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
  // The same for a caller that keeps the blocks which it prefetches: blocks[i] is that of hash i.
  // Returns null for a k with which that gains nothing.
  using MayMatchBlocks = void (*)(const char* const* blocks, int num_probes, size_t n,
                                  const uint64_t* hashes, bool* may_match);
  MayMatchBlocks (*may_match_blocks_for)(int num_probes) = nullptr;
  // Prefetches the blocks kInsertAhead keys ahead.
  void (*insert_many)(const PayloadView& filter, size_t n, const uint64_t* hashes) = nullptr;
  // Inserts one key after the other and reports which of them changed a bit. Prefetches nothing.
  void (*add_many)(const PayloadView& filter, size_t n, const uint64_t* hashes,
                   bool* changed) = nullptr;
  // Returns the function for a fixed k. It adds one key and says whether that changed a bit.
  Add (*add_for)(int num_probes) = nullptr;
};

// Blocks of LevelDB's small sets (docs/format.md, section 3.4): solved as a linear system over
// GF(2), as in Ribbon and Bloomier filters.
//
// A block of 8 to 64 bytes, at any alignment. Its header has the lower two bits of its attempt's
// number; first_attempt, a multiple of 4 up to 12, is the rest.
struct SmallSetKernel {
  bool (*may_match)(const char* block, uint32_t block_bytes, uint32_t first_attempt,
                    uint64_t hash) = nullptr;
  // Writes the block of n hashes, at most 63, header included, with one of the first num_attempts
  // (at most 16) attempts, and returns its number. Without a solution it returns -1 and writes
  // nothing.
  int (*solve)(const uint64_t* hashes, size_t n, unsigned num_attempts, uint32_t block_bytes,
               char* block) = nullptr;
};

// Hashes of many short keys at once (src/filter/hash).
struct HashKernel {
  // XXH3_64bits_withSeed of n keys, all of the same size, 4 to 16 bytes. Null below AVX-512, where
  // lanes of 64 bits cannot be multiplied.
  void (*short_keys)(const char* const* keys, size_t n, size_t size, uint64_t seed,
                     uint64_t* hashes) = nullptr;
  bool is_faster = false;  // than one by one, on this CPU
};

// ---- All of them.

// No function reads or writes a byte outside the payload. Queries never write it. Functions that
// insert write through `data`, which must then point to writable memory.
//
// The sub-tables are members and not pointers, so that a query loads one pointer to a function.
struct Kernel {
  const char* name = nullptr;
  const char* description = nullptr;
  // CPU extensions that it needs beyond the basics of the architecture, separated by commas.
  const char* extensions = nullptr;
  bool (*supported)() = nullptr;

  BlockedKernel blocked;
  SmallSetKernel small_set;
  HashKernel hash;
  stock::StockKernel stock;
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNEL_KERNEL_H_
