// Flat Bloom filters (docs/format.md, section 3.2): the bits of a key lie anywhere in the payload.
// LevelDB has one filter for every 2 KiB of a table, usually of 32 to 64 bytes.
#ifndef BLOOMLINE_FILTER_KERNELS_FLAT_FLAT_KERNEL_H_
#define BLOOMLINE_FILTER_KERNELS_FLAT_FLAT_KERNEL_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

// A payload of num_bits bits, a multiple of 8 in 8..2^32 - 8, at any alignment; num_probes in
// 1..30.
struct FlatFilter {
  const char* data;
  uint32_t num_bits;
  int num_probes;
};

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
void PortableFlatInsertMany(const FlatFilter& filter, size_t n, const uint64_t* hashes);
bool Avx2FlatMayMatch(const FlatFilter& filter, uint64_t hash);  // x86-64

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_FLAT_FLAT_KERNEL_H_
