// Builds the payloads of LevelDB's small sets (docs/format.md, section 3.8): solves each block.
#ifndef BLOOMLINE_FILTER_WRITER_SMALL_SET_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_SMALL_SET_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/format/layout.h"
#include "src/filter/kernels/kernel.h"

namespace bloomline::filter {

// Fills a payload of shape->payload_bytes() > 0 bytes at `data`, for few hashes in an array, which
// it may reorder. Sets shape->first_attempt. Throws bad_alloc; not if there is one block.
void BuildSmallSet(uint64_t* hashes, size_t n, FilterShape* shape, const kernels::Kernel& kernel,
                   char* data);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_SMALL_SET_BUILDER_H_
