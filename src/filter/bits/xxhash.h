// xxHash inside each file that includes it: a call into libxxhash costs as much as hashing a
// 16-byte key.
#ifndef BLOOMLINE_FILTER_BITS_XXHASH_H_
#define BLOOMLINE_FILTER_BITS_XXHASH_H_

#define XXH_INLINE_ALL
#if __has_include("table/block_based/filter_policy_internal.h") && __has_include("util/xxhash.h")
// RocksDB's own tree, recognised as in filter_bits_abi.h, has a copy, so a plugin there needs no
// other. (A util/xxhash.h alone may belong to a program that builds bloomline as a part of itself.)
// Until 7.9 that copy refuses XXH_INLINE_ALL, because it has its own namespace; the next three
// lines do the same.
#define XXH_INLINE_ALL_31684351384
#define XXH_STATIC_LINKING_ONLY
#define XXH_PUBLIC_API static __inline __attribute__((unused))
#if defined(__AVX512F__) && !defined(XXH_VECTOR)
#define XXH_VECTOR 2  // AVX2: in GCC 12's AVX-512 header -Werror finds uninitialised variables
#endif
#include "util/xxhash.h"
#else
#include <xxhash.h>
#endif

#if XXH_VERSION_NUMBER < 800
#error "bloomline needs xxHash 0.8.0 or later: the hashes of older versions of XXH3 are others"
#endif

#endif  // BLOOMLINE_FILTER_BITS_XXHASH_H_
