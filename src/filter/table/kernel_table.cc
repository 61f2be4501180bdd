// All kernels, the functions of an instruction set that each is made of, and the choice among them.
//
// Kernels are put together at first use, so a filter in a static variable finds them in any order
// of initialisation.
//
// A new kernel needs:
//
// 1. the functions that gain speed, in the folders of src/filter/layouts and in src/filter/stock,
//    declared in the folder's header; a header with the kernel's target attribute in
//    src/filter/cpu, like avx512.h; and its Kernel below, slowest first;
// 2. on x86, its CPU extensions in src/filter/cpu/instruction_sets.h, which both the compiler and
//    the CPU check use; on ARM, a guard there, as for NEON, and a branch with its own check below;
// 3. its name in the first table of docs/kernels.md and, if QEMU can emulate it, in
//    tests/platforms/other_cpus.
//
// What each file gains: its speed-up over the next slower kernel (Zen 5, 1,000,000 keys, medians of
// 3 runs of `filter_bench --bits 7,10 --rounds 5`, compiled with -O2). Batches have 32 keys, half
// of them stored. Filters have 10 bits per key.
//
//                                              missing  stored  batch  build
//   blocked_avx2.cc, blocked_probes_avx2.h     1.69     1.69    1.72   1.28
//   blocked_avx512.cc                          1.02     1.01    1.17   1.18
//   small_set_avx2.cc, 36 keys                 1.03     1.11           1.62
//   small_set_avx2.cc, 60 keys                 1.72     1.14           1.56
//   local_bloom_avx2.cc                        1.59     1.55    1.74
//   ribbon_avx2.cc                             2.39     2.37    1.61
//   ribbon_avx512.cc (Intel)                   1.44     1.44    1.28
//   ribbon_solver/solve_avx2.cc (Intel)                                1.55
//   ribbon_solver/solve_avx512.cc (Intel)                              1.42
//   hash_avx512.cc: blocked                                     1.14
//   blocked_neon.cc, k = 6 (ratios of
//     instructions in QEMU, not of times)      2.04                    1.15
#include "src/filter/table/kernel_table.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bloomline/cpu.h"
#include "src/filter/cpu/instruction_sets.h"
#include "src/filter/hash/batch_hasher.h"
#include "src/filter/layouts/blocked/blocked.h"
#include "src/filter/layouts/small_set/small_set.h"
#include "src/filter/stock/ribbon_solver/solvers.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace kernels {
namespace {

Kernel PortableKernel() {
  Kernel kernel;
  kernel.name = "portable";
  kernel.description = "plain C++, one bit at a time; the specification";
  kernel.extensions = "";
  kernel.supported = [] { return true; };
  kernel.blocked = PortableBlocked();
  kernel.small_set = PortableSmallSet();
  kernel.stock.local_bloom = stock::PortableLocalBloom();
  kernel.stock.ribbon = stock::PortableRibbon();
  kernel.stock.ribbon_solver = stock::PortableRibbonSolver();
  return kernel;
}

#if defined(__x86_64__)

Kernel Avx2Kernel() {
  Kernel kernel;
  kernel.name = "avx2";
  kernel.description = "x86-64 with AVX2: eight probes at a time";
  kernel.extensions = BLOOMLINE_EXTENSION_NAMES(BLOOMLINE_AVX2_EXTENSIONS);
  kernel.supported = [] { return BLOOMLINE_CPU_HAS_ALL(BLOOMLINE_AVX2_EXTENSIONS); };
  kernel.blocked = Avx2Blocked();
  kernel.small_set = Avx2SmallSet();
  kernel.stock.local_bloom = stock::Avx2LocalBloom();
  kernel.stock.ribbon = stock::Avx2Ribbon();
  kernel.stock.ribbon_solver = stock::Avx2RibbonSolver();
  return kernel;
}

Kernel Avx512Kernel() {
  Kernel kernel = Avx2Kernel();
  kernel.name = "avx512";
  kernel.description =
      "x86-64 with GFNI and AVX-512 F, BW, DQ, VL, VBMI, VBMI2 and VPOPCNTDQ (Ice Lake, Zen 4): as "
      "avx2, with its own code for blocked and Ribbon filters and hashing";
  kernel.extensions = BLOOMLINE_EXTENSION_NAMES(BLOOMLINE_AVX512_EXTENSIONS);
  kernel.supported = [] { return BLOOMLINE_CPU_HAS_ALL(BLOOMLINE_AVX512_EXTENSIONS); };
  kernel.blocked = Avx512Blocked();
  kernel.stock.ribbon = stock::Avx512Ribbon();
  kernel.hash = Avx512Hash();
  kernel.stock.ribbon_solver = stock::Avx512RibbonSolver();
  return kernel;
}

#elif defined(BLOOMLINE_HAS_NEON)

Kernel NeonKernel() {
  Kernel kernel = PortableKernel();
  kernel.name = "neon";
  kernel.description = "64-bit ARM: as portable, with eight probes at a time in blocked filters";
  kernel.blocked = NeonBlocked();
  return kernel;
}

#endif

}  // namespace

std::initializer_list<const Kernel*> AllKernels() {
  static const Kernel portable = PortableKernel();
#if defined(__x86_64__)
  static const Kernel avx2 = Avx2Kernel();
  static const Kernel avx512 = Avx512Kernel();
  static const std::initializer_list<const Kernel*> kernels = {&portable, &avx2, &avx512};
#elif defined(BLOOMLINE_HAS_NEON)
  static const Kernel neon = NeonKernel();
  static const std::initializer_list<const Kernel*> kernels = {&portable, &neon};
#else
  static const std::initializer_list<const Kernel*> kernels = {&portable};
#endif
  return kernels;
}

// ---- The choice.

namespace {

const Kernel* FastestSupported() {
  const Kernel* fastest = nullptr;  // the portable one is supported
  for (const Kernel* kernel : AllKernels()) {
    if (kernel->supported()) fastest = kernel;
  }
  return fastest;
}

// Returns null if the kernel is unknown, or not for this machine.
const Kernel* Find(const char* name) {
  for (const Kernel* kernel : AllKernels()) {
    if (std::strcmp(name, kernel->name) == 0 && kernel->supported()) return kernel;
  }
  return nullptr;
}

std::string Refusal(const std::string& name) {
  std::string text = "no kernel " + support::Quoted(name) + " on this machine; valid names: ";
  const char* separator = "";
  for (const Kernel* kernel : AllKernels()) {
    if (!kernel->supported()) continue;
    text.append(separator).append(kernel->name);
    separator = ", ";
  }
  return text;
}

// Returns null if no kernel is forced.
const char* ForcedName() {
  const char* name = std::getenv("BLOOMLINE_KERNEL");
  return name == nullptr || *name == '\0' ? nullptr : name;
}

// A forced kernel that is not available must not be replaced silently, because the user who set the
// variable is measuring or working around something. But a typing error must not end a database
// server.
const Kernel* InitialChoice() {
  const char* forced = ForcedName();
  const Kernel* kernel = forced == nullptr ? nullptr : Find(forced);
  if (kernel != nullptr) return kernel;
  kernel = FastestSupported();
  if (forced != nullptr) {
    std::fprintf(stderr, "bloomline: BLOOMLINE_KERNEL: %s; using %s\n", Refusal(forced).c_str(),
                 kernel->name);
  }
  return kernel;
}

std::atomic<const Kernel*>& Active() {
  static std::atomic<const Kernel*> active{InitialChoice()};
  return active;
}

}  // namespace

const Kernel& ActiveKernel() { return *Active().load(std::memory_order_acquire); }

}  // namespace kernels

std::vector<KernelInfo> Kernels() {
  std::vector<KernelInfo> infos;
  const kernels::Kernel* active = &kernels::ActiveKernel();
  for (const kernels::Kernel* kernel : kernels::AllKernels()) {
    infos.push_back({kernel->name, kernel->description, kernel->supported(), kernel == active,
                     kernel->extensions});
  }
  return infos;
}

const char* ActiveKernelName() { return kernels::ActiveKernel().name; }

std::string KernelVariableError() {
  const char* forced = kernels::ForcedName();
  if (forced == nullptr || kernels::Find(forced) != nullptr) return "";
  return "BLOOMLINE_KERNEL: " + kernels::Refusal(forced);
}

bool ForceKernel(const std::string& name, std::string* error) {
  const kernels::Kernel* kernel = kernels::Find(name.c_str());
  if (kernel == nullptr) {
    if (error != nullptr) *error = kernels::Refusal(name);
    return false;
  }
  kernels::Active().store(kernel, std::memory_order_release);
  return true;
}

}  // namespace bloomline
