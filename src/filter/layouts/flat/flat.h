// Flat Bloom filters (docs/format.md, section 3.2): the bits of a key lie anywhere in the payload.
// LevelDB has one filter for every 2 KiB of a table, usually of 32 to 64 bytes. Its blocks are
// bytes: 1 to 2^29 - 1 of them.
//
// All CPUs share one implementation: another would save 4 ns of a Get that takes a microsecond
// (docs/rejected.md).
#ifndef BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_H_
#define BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"  // PayloadView
#include "src/filter/kernel/layout_row.h"

namespace bloomline::kernels {

bool FlatMayMatch(const PayloadView& filter, uint64_t hash);
// Writes through filter.data.
void FlatInsertMany(const PayloadView& filter, size_t n, const uint64_t* hashes);

}  // namespace bloomline::kernels

namespace bloomline::filter {

extern const LayoutRow kFlatRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_FLAT_FLAT_H_
