// The one table of all kernels, and the choice among them.
#ifndef BLOOMLINE_FILTER_TABLE_KERNEL_TABLE_H_
#define BLOOMLINE_FILTER_TABLE_KERNEL_TABLE_H_

#include <initializer_list>

#include "src/filter/kernel/kernel.h"

namespace bloomline::kernels {

// Every kernel compiled into this binary, slowest first. The portable one is the first. They exist
// until the process ends.
std::initializer_list<const Kernel*> AllKernels();

// The kernel of filters opened or built from now on; see bloomline/cpu.h. Cost: one atomic load.
const Kernel& ActiveKernel();

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_TABLE_KERNEL_TABLE_H_
