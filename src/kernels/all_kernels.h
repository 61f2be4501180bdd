// The kernels there are. A new one is declared here and listed in dispatch.cc.
#ifndef BLOOMLINE_KERNELS_ALL_KERNELS_H_
#define BLOOMLINE_KERNELS_ALL_KERNELS_H_

#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/counters/counter_lines.h"
#include "src/kernels/kernel.h"

namespace bloomline::kernels {

extern const Kernel kPortableKernel;
extern const CompactKernel kPortableCompact;
extern const CounterKernel kPortableCounters;
#if defined(__x86_64__)
extern const Kernel kAvx2Kernel;
extern const Kernel kAvx512Kernel;
extern const CompactKernel kAvx2Compact;
extern const CompactKernel kAvx512Compact;
extern const CounterKernel kAvx2Counters;
extern const CounterKernel kAvx512Counters;
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BLOOMLINE_HAS_NEON 1
extern const Kernel kNeonKernel;
#endif

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_ALL_KERNELS_H_
