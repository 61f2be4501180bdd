// Builds the payloads of Bloom filters: classic, flat and blocked.
#ifndef BLOOMLINE_FILTER_WRITER_BLOOM_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_BLOOM_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/format/layout.h"
#include "src/filter/kernels/kernel.h"

namespace bloomline::filter {

// Sets the bits of n keys in `data`: shape.payload_bytes() > 0 bytes, zeroed before the first call.
void InsertHashes(const FilterShape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_BLOOM_BUILDER_H_
