// Which kernel (instruction set) answers queries and builds filters, which others could, and how to
// force one. All kernels give the same bytes and the same answers; only speed differs.
//
// The choice is made once per process: the environment variable BLOOMLINE_KERNEL if it is set, else
// the fastest one that CPU and operating system support. A name in the variable that is unknown, or
// that this machine cannot run, gives one line on stderr and the fastest one.
#ifndef BLOOMLINE_CPU_H_
#define BLOOMLINE_CPU_H_

#include <string>
#include <vector>

namespace bloomline {

struct KernelInfo {
  const char* name;         // what BLOOMLINE_KERNEL and ForceKernel take
  const char* description;  // one line for people
  bool supported;           // by this CPU and operating system
  bool active;              // used by filters opened and builders finished from now on
  const char* extensions;   // CPU extensions it needs, with commas between; "" for none
};

// All kernels in this binary, slowest first. Thread-safe.
std::vector<KernelInfo> Kernels();

// Name of the active kernel; static storage. Thread-safe.
const char* ActiveKernelName();

// Empty, or why the name in BLOOMLINE_KERNEL is not used, in one sentence with the valid names. For
// programs that measure, which should stop then. Thread-safe as long as nobody changes the
// environment.
std::string KernelVariableError();

// Makes `name` the active kernel. False, with a sentence that lists the valid names in *error if it
// is not null, when there is no such kernel or this machine cannot run it. Thread-safe.
bool ForceKernel(const std::string& name, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_CPU_H_
