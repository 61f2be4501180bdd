// Blocked Bloom filters that several threads query and change at the same time. Words of 64 bits
// are read and set by relaxed atomic operations.
#ifndef BLOOMLINE_KERNELS_BLOCKED_SHARED_KERNEL_H_
#define BLOOMLINE_KERNELS_BLOCKED_SHARED_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/blocked/blocked_kernel.h"

namespace bloomline::kernels {

// `data` is on a 64-byte boundary.
struct SharedKernel {
  // As in BlockedKernel.
  void (*may_match_many)(const BlockedFilter& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
  void (*add_many)(const BlockedFilter& filter, size_t n, const uint64_t* hashes,
                   bool* changed) = nullptr;
  // Adds 1 to blocks_with[ones] for each block, where `ones` is its number of ones: 513 counters.
  void (*count_blocks)(const char* data, uint64_t num_blocks, uint64_t* blocks_with) = nullptr;
};

SharedKernel PortableShared();
SharedKernel Avx2Shared();    // x86-64
SharedKernel Avx512Shared();  // x86-64
SharedKernel NeonShared();    // 64-bit ARM

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_BLOCKED_SHARED_KERNEL_H_
