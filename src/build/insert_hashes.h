// Sets the bits of hashes in a payload of any layout but the compact ones.
#ifndef BLOOMLINE_BUILD_INSERT_HASHES_H_
#define BLOOMLINE_BUILD_INSERT_HASHES_H_

#include <cstddef>
#include <cstdint>

#include "src/format/format.h"
#include "src/kernels/kernel.h"

namespace bloomline::core {

// Sets the bits of n keys (not compact, which needs all keys at once: compact_builder.h) in `data`,
// which has shape.payload_bytes > 0 bytes, zeroed before the first call.
void InsertHashes(const Shape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes);

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_INSERT_HASHES_H_
