// NEON: every 64-bit ARM CPU has it. The kernel is written for little-endian ones.
#ifndef BLOOMLINE_FILTER_CPU_HAS_NEON_H_
#define BLOOMLINE_FILTER_CPU_HAS_NEON_H_

#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BLOOMLINE_HAS_NEON 1
#endif

#endif  // BLOOMLINE_FILTER_CPU_HAS_NEON_H_
