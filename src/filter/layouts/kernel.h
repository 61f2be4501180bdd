// A kernel answers queries and sets bits with one instruction set. Every kernel gives the bits and
// answers of the portable one, which is the specification. Only speed differs.
#ifndef BLOOMLINE_FILTER_LAYOUTS_KERNEL_H_
#define BLOOMLINE_FILTER_LAYOUTS_KERNEL_H_

#include <cstddef>
#include <string>

#include "src/filter/hash/hash_kernel.h"
#include "src/filter/layouts/blocked/blocked_kernel.h"
#include "src/filter/layouts/compact/compact_kernel.h"
#include "src/filter/layouts/small_set/small_set_kernel.h"
#include "src/filter/stock/stock_kernel.h"

namespace bloomline::kernels {

// No function reads or writes a byte outside the payload. Queries never write it. Functions that
// insert write through `data`, which must then point to writable memory.
//
// The sub-tables are members and not pointers, so that a query loads one pointer to a function.
struct Kernel {
  const char* name = nullptr;
  const char* description = nullptr;
  // What the CPU must have beyond its architecture's basics, separated by commas.
  const char* extensions = nullptr;
  bool (*supported)() = nullptr;

  BlockedKernel blocked;
  CompactKernel compact;
  SmallSetKernel small_set;
  HashKernel hash;
  stock::StockKernel stock;
};

// The one table: every kernel compiled into this binary, slowest first. The portable one is the
// first.
struct KernelTable {
  const Kernel* const* kernels;
  size_t size;

  const Kernel* const* begin() const { return kernels; }
  const Kernel* const* end() const { return kernels + size; }
};
KernelTable AllKernels();

// The kernel of filters opened or built from now on; see bloomline/cpu.h. Cost: one atomic load.
const Kernel& ActiveKernel();

// See bloomline::ForceKernel.
bool SetActiveKernel(const std::string& name, std::string* error);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_KERNEL_H_
