// Flat Bloom filters (docs/format.md, section 3.2): the bits of a key lie anywhere in the payload.
// LevelDB has one filter for every 2 KiB of a table, usually of 32 to 64 bytes.
#ifndef BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_KERNEL_H_
#define BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"

namespace bloomline::kernels {

// Its blocks are bytes: 1 to 2^29 - 1 of them.
using FlatFilter = PayloadView;

inline uint32_t NumBits(const FlatFilter& filter) {
  return 8 * static_cast<uint32_t>(filter.num_blocks);
}

struct FlatKernel {
  bool (*may_match)(const FlatFilter& filter, uint64_t hash) = nullptr;
  void (*insert_many)(const FlatFilter& filter, size_t n, const uint64_t* hashes) = nullptr;
};

FlatKernel PortableFlat();
FlatKernel Avx2Flat();    // x86-64
FlatKernel Avx512Flat();  // x86-64
FlatKernel NeonFlat();    // 64-bit ARM

// Entries that others use for payloads of sizes which they have nothing faster for.
bool PortableFlatMayMatch(const FlatFilter& filter, uint64_t hash);
// x86-64:
bool Avx2FlatMayMatch(const FlatFilter& filter, uint64_t hash);
void Avx2FlatInsertMany(const FlatFilter& filter, size_t n, const uint64_t* hashes);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_KERNEL_H_
