// The library's SIMD implementations (kernels): which of them this machine supports, which one is
// active, and how to force one. All kernels give the same bytes and the same answers. Only their
// speed differs.
//
//   for (const bloomline::KernelInfo& kernel : bloomline::Kernels()) std::puts(kernel.name);
//   std::string error;
//   if (!bloomline::ForceKernel("portable", &error)) return 1;  // error says why
//
// A process chooses once, at its first use of a kernel: the one named by the environment variable
// BLOOMLINE_KERNEL, or else the fastest one that CPU and operating system support. If the variable
// names a kernel that does not exist or that this machine does not support, stderr gets one line,
// and the fastest one is used.
//
// All functions are thread-safe. But KernelVariableError and the process's first use of a kernel
// read the variable, so they are thread-safe only while no thread changes the environment.
//
// Link bloomline::core (CMake component `core`).
#ifndef BLOOMLINE_CPU_H_
#define BLOOMLINE_CPU_H_

#include <string>
#include <vector>

namespace bloomline {

struct KernelInfo {
  const char* name;         // what BLOOMLINE_KERNEL and ForceKernel take
  const char* description;  // one line of text
  bool supported;           // by this CPU and operating system
  bool active;              // used from now on: see ForceKernel
  const char* extensions;   // CPU extensions it needs, separated by commas; "" for none
};

// Returns all kernels in this binary, slowest first.
std::vector<KernelInfo> Kernels();

// Returns the name of the active kernel, in static storage.
const char* ActiveKernelName();

// Returns one sentence with the valid names if BLOOMLINE_KERNEL names a kernel that cannot be used,
// else an empty string. Reads the environment at each call. Programs that measure should stop if
// the result is not empty.
std::string KernelVariableError();

// Makes `name` the active kernel. Returns false if there is no such kernel or this machine does not
// support it. *error then has one sentence with the valid names; `error` may be null, and is left
// alone on success.
//
// May be called at any time, also while other threads query filters. Filters and LevelDB policies
// that exist keep their kernel. Filters created, loaded or opened from now on use the new one, and
// so do builders at their next Finish. To go back to the default, keep the name that
// ActiveKernelName gave before, and force that one.
bool ForceKernel(const std::string& name, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_CPU_H_
