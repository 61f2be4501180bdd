// Setting the bits of many keys: straight away, or ordered by memory first, on one thread or
// several.
#ifndef BLOOMLINE_BUILD_BLOCKED_BUILDER_H_
#define BLOOMLINE_BUILD_BLOCKED_BUILDER_H_

#include "src/build/hash_list.h"
#include "src/format/format.h"
#include "src/kernels/kernel.h"

namespace bloomline::core {

// From so many bytes on, a blocked payload is filled partition by partition: measured at 10 bits
// per key, straight insertion costs 2.4 ns per key into 12 MB, where partitioning gains nothing,
// and 9.7 ns into 125 MB, where partitioning takes half (docs/design.md).
constexpr uint64_t kPartitionFromBytes = uint64_t{32} << 20;

// Sets the bits of all hashes, of which there is at least one, in `data`: shape.payload_bytes > 0
// zeroed bytes. Same bytes for any num_threads; each thread has lines of its own. Throws nothing.
// Temporary memory: where it partitions, one eighth of the list; without that it is slower.
void BulkInsert(const HashList& hashes, const Shape& shape, const kernels::Kernel& kernel,
                int num_threads, char* data);

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_BLOCKED_BUILDER_H_
