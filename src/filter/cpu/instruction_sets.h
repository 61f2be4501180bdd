// The CPU extensions of each x86-64 kernel, named once: the target attribute of its functions and
// the check before they may run both come from this list. The list also holds what a name implies
// (avx2 implies the SSEs), because the compiler may use all of it.
//
// FMA and F16C, which clang derives from avx512f, are left out: they compute floating-point
// numbers, which kernels do not use.
#ifndef BLOOMLINE_FILTER_CPU_INSTRUCTION_SETS_H_
#define BLOOMLINE_FILTER_CPU_INSTRUCTION_SETS_H_

// LIST(FIRST, NEXT): FIRST(name) once, then NEXT(name) for each other name.
#define BLOOMLINE_AVX2_EXTENSIONS(FIRST, NEXT) \
  FIRST("sse3")                                \
  NEXT("ssse3")                                \
  NEXT("sse4.1") NEXT("sse4.2") NEXT("popcnt") NEXT("avx") NEXT("avx2") NEXT("bmi") NEXT("bmi2")
#define BLOOMLINE_AVX512_EXTENSIONS(FIRST, NEXT) \
  BLOOMLINE_AVX2_EXTENSIONS(FIRST, NEXT)         \
  NEXT("avx512f")                                \
  NEXT("avx512bw")                               \
  NEXT("avx512dq")                               \
  NEXT("avx512vl")                               \
  NEXT("avx512vbmi") NEXT("avx512vbmi2") NEXT("avx512vpopcntdq") NEXT("gfni")

#define BLOOMLINE_FIRST_NAME(name) name
#define BLOOMLINE_NEXT_NAME(name) "," name
// The names as one string, separated by commas.
#define BLOOMLINE_EXTENSION_NAMES(LIST) LIST(BLOOMLINE_FIRST_NAME, BLOOMLINE_NEXT_NAME)

// A function attribute rather than a compiler flag, so that nothing inlined from headers uses these
// instructions elsewhere.
#define BLOOMLINE_TARGET(LIST) __attribute__((target(BLOOMLINE_EXTENSION_NAMES(LIST))))

#define BLOOMLINE_FIRST_CHECK(name) __builtin_cpu_supports(name)
#define BLOOMLINE_NEXT_CHECK(name) &&__builtin_cpu_supports(name)
// True if this CPU and operating system have all of them. The compiler's check of avx and avx512f
// covers the operating system: it reads the register state that XGETBV says is saved.
#define BLOOMLINE_CPU_HAS_ALL(LIST) (LIST(BLOOMLINE_FIRST_CHECK, BLOOMLINE_NEXT_CHECK))

// NEON: every 64-bit ARM CPU has it. The kernel is written for little-endian ones.
#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BLOOMLINE_HAS_NEON 1
#endif

#endif  // BLOOMLINE_FILTER_CPU_INSTRUCTION_SETS_H_
