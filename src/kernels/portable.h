#ifndef BLOOMLINE_KERNELS_PORTABLE_H_
#define BLOOMLINE_KERNELS_PORTABLE_H_

#include "src/kernels/kernel.h"

namespace bloomline::kernels {

extern const Kernel kPortableKernel;

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_PORTABLE_H_
