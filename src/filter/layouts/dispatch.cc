// Chooses a kernel.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bloomline/cpu.h"
#include "src/filter/layouts/kernel.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace kernels {
namespace {

const Kernel* FastestSupported() {
  const Kernel* fastest = AllKernels().kernels[0];
  for (const Kernel* kernel : AllKernels()) {
    if (kernel->supported()) fastest = kernel;
  }
  return fastest;
}

// Null: unknown, or not for this machine.
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

// Null: nothing is forced.
const char* ForcedName() {
  const char* name = std::getenv("BLOOMLINE_KERNEL");
  return name == nullptr || *name == '\0' ? nullptr : name;
}

// A forced kernel that is not available must not be replaced in silence, because the user who set
// the variable is measuring or working around something. Nor may a typing error end a database
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

bool SetActiveKernel(const std::string& name, std::string* error) {
  const Kernel* kernel = Find(name.c_str());
  if (kernel == nullptr) {
    if (error != nullptr) *error = Refusal(name);
    return false;
  }
  Active().store(kernel, std::memory_order_release);
  return true;
}

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
  return kernels::SetActiveKernel(name, error);
}

}  // namespace bloomline
