// The memory that RocksDB allocates for a filter when it reads it.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BITS_ALLOCATION_FIT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BITS_ALLOCATION_FIT_H_

#include <cstdint>

namespace bloomline {

// RocksDB's block trailer, which is in the allocation, too.
constexpr uint64_t kBlockTrailerBytes = 5;

// What RocksDB's allocation for a filter of filter_bytes bytes can hold; 0 if that is unknown.
//
// RocksDB reads a filter into an allocation of its own in the block cache, and charges the cache
// what malloc_usable_size says of it. Allocators round sizes up: glibc by up to 15 bytes, and to
// pages from 128 KiB on; jemalloc to one of four sizes for each power of two, 10 % on average. The
// memory is allocated here for that and freed untouched.
uint64_t UsableBytes(uint64_t filter_bytes);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BITS_ALLOCATION_FIT_H_
