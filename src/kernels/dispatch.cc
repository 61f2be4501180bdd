// The table of kernels and the choice among them.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "bloomline/cpu.h"
#include "src/kernels/all_kernels.h"
#include "src/kernels/kernel.h"

namespace bloomline {
namespace kernels {
namespace {

constexpr const Kernel* kAllKernels[] = {
    &kPortableKernel,
#if defined(__x86_64__)
    &kAvx2Kernel,
    &kAvx512Kernel,
#elif defined(BLOOMLINE_HAS_NEON)
    &kNeonKernel,
#endif
};

const Kernel* FastestSupported() {
  const Kernel* fastest = kAllKernels[0];
  for (const Kernel* kernel : kAllKernels) {
    if (kernel->supported()) fastest = kernel;
  }
  return fastest;
}

const Kernel* Find(std::string_view name, std::string* error) {
  for (const Kernel* kernel : kAllKernels) {
    if (kernel->supported() && name == kernel->name) return kernel;
  }
  if (error == nullptr) return nullptr;
  try {
    std::string valid;
    for (const Kernel* kernel : kAllKernels) {
      if (!kernel->supported()) continue;
      valid += valid.empty() ? "" : ", ";
      valid += kernel->name;
    }
    *error = "no kernel '" + std::string(name) + "' on this machine; valid names: " + valid;
  } catch (const std::exception&) {  // bad_alloc
    *error = "out of memory";
  }
  return nullptr;
}

// A forced kernel that cannot be had must not be replaced in silence: whoever set the variable is
// measuring or working around something.
const Kernel* InitialChoice() {
  const char* forced = std::getenv("BLOOMLINE_KERNEL");
  if (forced == nullptr || *forced == '\0') return FastestSupported();
  std::string error;
  const Kernel* kernel = Find(forced, &error);
  if (kernel == nullptr) {
    std::fprintf(stderr, "bloomline: BLOOMLINE_KERNEL: %s\n", error.c_str());
    std::abort();
  }
  return kernel;
}

std::atomic<const Kernel*>& Active() {
  static std::atomic<const Kernel*> active{InitialChoice()};
  return active;
}

}  // namespace

KernelTable AllKernels() { return {kAllKernels, sizeof(kAllKernels) / sizeof(kAllKernels[0])}; }

const Kernel& ActiveKernel() { return *Active().load(std::memory_order_acquire); }

bool SetActiveKernel(const std::string& name, std::string* error) {
  const Kernel* kernel = Find(name, error);
  if (kernel == nullptr) return false;
  Active().store(kernel, std::memory_order_release);
  return true;
}

}  // namespace kernels

std::vector<KernelInfo> Kernels() {
  std::vector<KernelInfo> infos;
  const kernels::Kernel* active = &kernels::ActiveKernel();
  try {
    for (const kernels::Kernel* kernel : kernels::kAllKernels) {
      infos.push_back({kernel->name, kernel->description, kernel->supported(), kernel == active});
    }
  } catch (const std::exception&) {  // bad_alloc
    infos.clear();
  }
  return infos;
}

const char* ActiveKernelName() { return kernels::ActiveKernel().name; }

bool ForceKernel(const std::string& name, std::string* error) {
  return kernels::SetActiveKernel(name, error);
}

}  // namespace bloomline
