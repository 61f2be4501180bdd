// Blocked Bloom filters that several threads query and change at the same time. Words of 64 bits
// are read and set by relaxed atomic operations.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_KERNEL_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/layouts/blocked/blocked_kernel.h"

namespace bloomline::kernels {

// `data` is on a 64-byte boundary.
struct AtomicKernel {
  // As in BlockedKernel.
  void (*may_match_many)(const PayloadView& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
  void (*add_many)(const PayloadView& filter, size_t n, const uint64_t* hashes,
                   bool* changed) = nullptr;
  // Adds 1 to blocks_with[ones] for each block, where `ones` is its number of ones: 513 counters.
  void (*count_blocks)(const char* data, uint64_t num_blocks, uint64_t* blocks_with) = nullptr;
};

AtomicKernel PortableAtomic();
AtomicKernel Avx2Atomic();    // x86-64
AtomicKernel Avx512Atomic();  // x86-64
AtomicKernel NeonAtomic();    // 64-bit ARM

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_ATOMIC_KERNEL_H_
