// All kernels, and the instruction set's functions that each is made of.
//
// They are put together at first use, so a filter in a static variable finds them in any order of
// initialisation.
#include "src/filter/cpu/has_neon.h"
#include "src/filter/cpu/x86_extensions.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline::kernels {
namespace {

bool AlwaysSupported() { return true; }

Kernel PortableKernel() {
  Kernel kernel;
  kernel.name = "portable";
  kernel.description = "plain C++, one bit at a time; the specification";
  kernel.extensions = "";
  kernel.supported = AlwaysSupported;
  kernel.blocked = PortableBlocked();
  kernel.compact = PortableCompact();
  kernel.small_set = PortableSmallSet();
  kernel.stock.local_bloom = stock::PortableLocalBloom();
  kernel.stock.ribbon = stock::PortableRibbon();
  return kernel;
}

#if defined(__x86_64__)

bool CpuHasAvx2() { return BLOOMLINE_CPU_HAS_ALL(BLOOMLINE_AVX2_EXTENSIONS); }

Kernel Avx2Kernel() {
  Kernel kernel;
  kernel.name = "avx2";
  kernel.description = "x86-64 with AVX2: eight probes at a time";
  kernel.extensions = BLOOMLINE_EXTENSION_NAMES(BLOOMLINE_AVX2_EXTENSIONS);
  kernel.supported = CpuHasAvx2;
  kernel.blocked = Avx2Blocked();
  kernel.compact = Avx2Compact();
  kernel.small_set = Avx2SmallSet();
  kernel.stock.local_bloom = stock::Avx2LocalBloom();
  kernel.stock.ribbon = stock::Avx2Ribbon();
  return kernel;
}

bool CpuHasAvx512() { return BLOOMLINE_CPU_HAS_ALL(BLOOMLINE_AVX512_EXTENSIONS); }

Kernel Avx512Kernel() {
  Kernel kernel = Avx2Kernel();
  kernel.name = "avx512";
  kernel.description =
      "x86-64 with GFNI and AVX-512 F, BW, DQ, VL, VBMI and VPOPCNTDQ (Ice Lake, Zen 4): avx2, but "
      "for blocked and compact filters and for hashing";
  kernel.extensions = BLOOMLINE_EXTENSION_NAMES(BLOOMLINE_AVX512_EXTENSIONS);
  kernel.supported = CpuHasAvx512;
  kernel.blocked = Avx512Blocked();
  kernel.compact = Avx512Compact();
  kernel.hash = Avx512Hash();
  return kernel;
}

#elif defined(BLOOMLINE_HAS_NEON)

Kernel NeonKernel() {
  Kernel kernel = PortableKernel();
  kernel.name = "neon";
  kernel.description = "64-bit ARM: portable, but for blocked filters, eight probes at a time";
  kernel.blocked = NeonBlocked();
  return kernel;
}

#endif

}  // namespace

KernelTable AllKernels() {
  static const Kernel portable = PortableKernel();
#if defined(__x86_64__)
  static const Kernel avx2 = Avx2Kernel();
  static const Kernel avx512 = Avx512Kernel();
  static const Kernel* const kernels[] = {&portable, &avx2, &avx512};
#elif defined(BLOOMLINE_HAS_NEON)
  static const Kernel neon = NeonKernel();
  static const Kernel* const kernels[] = {&portable, &neon};
#else
  static const Kernel* const kernels[] = {&portable};
#endif
  return {kernels, sizeof(kernels) / sizeof(kernels[0])};
}

}  // namespace bloomline::kernels
