// Builds the payload of a Bloom filter from the hashes of its keys.
//
// In large filters, building is fast where hashes of neighbouring blocks follow each other, because
// a group of blocks stays in the cache. So the hashes of large filters are sorted by groups of
// blocks first, in their own memory (hash_groups.h), and each thread then takes one group after the
// other.
#ifndef BLOOMLINE_FILTER_WRITER_PAYLOAD_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_PAYLOAD_BUILDER_H_

#include <cstdint>

#include "src/filter/bits/filter_shape.h"
#include "src/filter/hash/hash_list.h"
#include "src/filter/kernel/kernel.h"

namespace bloomline::filter {

// From this many bytes on, a blocked payload is filled group by group. Measured at 10 bits per key:
// into 12 MB groups gain nothing, into 125 MB they take half of the time.
constexpr uint64_t kGroupedFromBytes = uint64_t{32} << 20;

// Builds a payload of a Bloom filter's layout, of shape.payload_bytes() > 0 bytes at `data`,
// zeroed, from at least one hash. The list can only be cleared afterwards. The bytes do not depend
// on num_threads. If it throws bad_alloc, the payload lacks keys.
void BuildPayload(HashList* hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_PAYLOAD_BUILDER_H_
