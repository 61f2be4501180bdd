// Builds the payloads of Bloom filters: classic, flat and blocked. compact_builder.h and
// small_set_builder.h build the others.
#ifndef BLOOMLINE_FILTER_WRITER_BLOOM_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_BLOOM_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/format/layout.h"
#include "src/filter/kernels/kernel.h"
#include "src/filter/writer/hash_list.h"

namespace bloomline::filter {

// Sets the bits of n keys in `data`: shape.payload_bytes() > 0 bytes, zeroed before the first call.
void InsertHashes(const FilterShape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes);

// From so many bytes on, a blocked payload is filled partition by partition. Measured at 10 bits
// per key: inserting in the order of the list costs 2.4 ns per key into 12 MB, where partitions
// gain nothing, and 9.7 ns into 125 MB, where partitions take half (docs/design.md).
constexpr uint64_t kPartitionFromBytes = uint64_t{32} << 20;

// Partitions, whose keys are inserted together, have 2^shift blocks.
int BloomPartitionShift(uint64_t num_blocks);

// Sets the bits of all hashes, of which there is at least one, in `data`: shape.payload_bytes() > 0
// zeroed bytes. The bytes do not depend on num_threads; no two threads write one block. Throws
// nothing. Temporary memory, for partitions: one eighth of the list. Without it, it is slower.
void BuildBloom(const HashList& hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                int num_threads, char* data);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_BLOOM_BUILDER_H_
