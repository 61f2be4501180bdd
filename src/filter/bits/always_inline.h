// Functions that must be compiled for the instruction set of their caller.
#ifndef BLOOMLINE_FILTER_BITS_ALWAYS_INLINE_H_
#define BLOOMLINE_FILTER_BITS_ALWAYS_INLINE_H_

// For code that kernels share: inlined, it is compiled for the instruction set of each kernel. A
// separate function would be compiled for none of them.
#define BLOOMLINE_ALWAYS_INLINE __attribute__((always_inline)) inline

#endif  // BLOOMLINE_FILTER_BITS_ALWAYS_INLINE_H_
