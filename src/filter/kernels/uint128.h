// Products of two 64-bit numbers, which decide where a key's bits lie.
#ifndef BLOOMLINE_FILTER_KERNELS_UINT128_H_
#define BLOOMLINE_FILTER_KERNELS_UINT128_H_

#if !defined(__SIZEOF_INT128__)
#error "bloomline needs unsigned __int128, which compilers have for 64-bit CPUs only"
#endif

namespace bloomline::kernels {

__extension__ using Uint128 = unsigned __int128;

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_KERNELS_UINT128_H_
