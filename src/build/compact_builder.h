// Building compact payloads: keys to lines, lines to solvers (docs/format.md, section 3.4).
#ifndef BLOOMLINE_BUILD_COMPACT_BUILDER_H_
#define BLOOMLINE_BUILD_COMPACT_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "src/build/hash_list.h"
#include "src/format/format.h"
#include "src/kernels/kernel.h"

namespace bloomline::core {

// Solves one line of `shape` for n keys, header included; any keys, any n. May reorder the
// hashes. Throws nothing. n > 112 different hashes give a line that matches everything.
void SolveLine(uint64_t* hashes, size_t n, const Shape& shape, const kernels::Kernel& kernel,
               char* line);

// Solves all lines of a payload of shape.payload_bytes > 0 bytes at `data`. Same bytes for any
// num_threads. Throws nothing; without the temporary memory (at most 32 bits per key beside the
// list) lines match everything: false.
bool BuildCompact(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data);

// The same for few keys whose hashes are at hand; reorders them. Throws bad_alloc.
void BuildCompactFromArray(uint64_t* hashes, size_t n, const Shape& shape,
                           const kernels::Kernel& kernel, char* data);

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_COMPACT_BUILDER_H_
