// The kernels there are, and which instruction set's functions each is made of.
//
// They are put together at first use. So a filter in a static variable finds them, whatever the
// order in which static variables are initialised.
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
  kernel.atomic = PortableAtomic();
  kernel.flat = PortableFlat();
  kernel.compact = PortableCompact();
  kernel.small_set = PortableSmallSet();
  kernel.stock.local_bloom = stock::PortableLocalBloom();
  kernel.stock.ribbon = stock::PortableRibbon();
  return kernel;
}

#if defined(__x86_64__)

bool CpuHasPopcnt() { return BLOOMLINE_CPU_HAS_ALL(BLOOMLINE_POPCNT_EXTENSIONS); }

Kernel PopcntKernel() {
  Kernel kernel = PortableKernel();
  kernel.name = "popcnt";
  kernel.description =
      "x86-64 with SSE 4.2 and POPCNT: portable, but for queries of compact and Ribbon filters";
  kernel.extensions = BLOOMLINE_EXTENSION_NAMES(BLOOMLINE_POPCNT_EXTENSIONS);
  kernel.supported = CpuHasPopcnt;
  kernel.compact = PopcntCompact();
  kernel.stock.ribbon = stock::PopcntRibbon();
  return kernel;
}

bool CpuHasAvx2() { return BLOOMLINE_CPU_HAS_ALL(BLOOMLINE_AVX2_EXTENSIONS); }

Kernel Avx2Kernel() {
  Kernel kernel;
  kernel.name = "avx2";
  kernel.description = "x86-64 with AVX2: eight probes at a time";
  kernel.extensions = BLOOMLINE_EXTENSION_NAMES(BLOOMLINE_AVX2_EXTENSIONS);
  kernel.supported = CpuHasAvx2;
  kernel.blocked = Avx2Blocked();
  kernel.atomic = Avx2Atomic();
  kernel.flat = Avx2Flat();
  kernel.compact = Avx2Compact();
  kernel.small_set = Avx2SmallSet();
  kernel.stock.local_bloom = stock::Avx2LocalBloom();
  kernel.stock.ribbon = stock::Avx2Ribbon();
  return kernel;
}

bool CpuHasAvx512() { return BLOOMLINE_CPU_HAS_ALL(BLOOMLINE_AVX512_EXTENSIONS); }

Kernel Avx512Kernel() {
  Kernel kernel;
  kernel.name = "avx512";
  kernel.description =
      "x86-64 with GFNI and AVX-512 F, BW, DQ, VL, VBMI and VPOPCNTDQ (Ice Lake, Zen 4): a block "
      "in one register";
  kernel.extensions = BLOOMLINE_EXTENSION_NAMES(BLOOMLINE_AVX512_EXTENSIONS);
  kernel.supported = CpuHasAvx512;
  kernel.blocked = Avx512Blocked();
  kernel.atomic = Avx512Atomic();
  kernel.flat = Avx512Flat();
  kernel.compact = Avx512Compact();
  kernel.small_set = Avx512SmallSet();
  kernel.hash = Avx512Hash();
  kernel.stock.local_bloom = stock::Avx512LocalBloom();
  kernel.stock.ribbon = stock::Avx512Ribbon();
  return kernel;
}

#elif defined(BLOOMLINE_HAS_NEON)

Kernel NeonKernel() {
  Kernel kernel;
  kernel.name = "neon";
  kernel.description = "64-bit ARM: eight probes at a time";
  kernel.extensions = "";
  kernel.supported = AlwaysSupported;
  kernel.blocked = NeonBlocked();
  kernel.atomic = NeonAtomic();
  kernel.flat = NeonFlat();
  kernel.compact = NeonCompact();
  kernel.small_set = PortableSmallSet();
  kernel.stock.local_bloom = stock::PortableLocalBloom();
  kernel.stock.ribbon = stock::PortableRibbon();
  return kernel;
}

#endif

}  // namespace

KernelTable AllKernels() {
  static const Kernel portable = PortableKernel();
#if defined(__x86_64__)
  static const Kernel popcnt = PopcntKernel();
  static const Kernel avx2 = Avx2Kernel();
  static const Kernel avx512 = Avx512Kernel();
  static const Kernel* const kernels[] = {&portable, &popcnt, &avx2, &avx512};
#elif defined(BLOOMLINE_HAS_NEON)
  static const Kernel neon = NeonKernel();
  static const Kernel* const kernels[] = {&portable, &neon};
#else
  static const Kernel* const kernels[] = {&portable};
#endif
  return {kernels, sizeof(kernels) / sizeof(kernels[0])};
}

}  // namespace bloomline::kernels
