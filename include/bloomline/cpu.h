// The library's SIMD implementations (kernels), which differ only in speed. Their names are
// experimental.
//
// At its first use, a process takes the kernel that the environment variable BLOOMLINE_KERNEL
// names, or the fastest that works. If the named one does not, stderr says so.
//
// All functions are thread-safe; the first use and KernelVariableError read the environment.
#ifndef BLOOMLINE_CPU_H_
#define BLOOMLINE_CPU_H_

#include <string>
#include <vector>

#include "bloomline/cpp17.h"

namespace bloomline {

struct KernelInfo {
  const char* name;  // what BLOOMLINE_KERNEL and ForceKernel take
  const char* description;
  bool supported;          // by this CPU and operating system
  bool active;             // see ForceKernel
  const char* extensions;  // CPU extensions it needs, separated by commas; "" for none
};

// All kernels in this binary, slowest first.
std::vector<KernelInfo> Kernels();

const char* ActiveKernelName();  // static storage

// Returns "", or one sentence with the valid names if BLOOMLINE_KERNEL cannot be honoured.
std::string KernelVariableError();

// Makes `name` the active kernel, even while other threads query. Returns false, with the valid
// names in *error (may be null), if it cannot be used. Existing filters and LevelDB policies keep
// their kernel; later ones, and builders at their next Finish, use the new one.
bool ForceKernel(const std::string& name, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_CPU_H_
