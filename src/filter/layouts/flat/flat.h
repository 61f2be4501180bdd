// Flat Bloom filters (docs/format.md, section 3.2): the bits of a key lie anywhere in the payload.
// LevelDB has one filter for every 2 KiB of a table, usually of 32 to 64 bytes. There is no SIMD
// code for them: it saves 4 ns of a Get that takes a microsecond (docs/rejected.md).
#ifndef BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_H_
#define BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"

namespace bloomline::kernels {

// Its blocks are bytes: 1 to 2^29 - 1 of them.
using FlatFilter = PayloadView;

bool FlatMayMatch(const FlatFilter& filter, uint64_t hash);

// Writes through `data`, which must then point to writable memory.
void FlatInsertMany(const FlatFilter& filter, size_t n, const uint64_t* hashes);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_H_
