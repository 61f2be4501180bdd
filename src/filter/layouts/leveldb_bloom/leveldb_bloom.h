// LevelDB's own Bloom filter, byte for byte (docs/format.md, section 3.1; leveldb util/bloom.cc).
// Only LevelDB uses it, and queries one key at a time, so all CPUs share one implementation.
#ifndef BLOOMLINE_FILTER_LAYOUTS_LEVELDB_BLOOM_LEVELDB_BLOOM_H_
#define BLOOMLINE_FILTER_LAYOUTS_LEVELDB_BLOOM_LEVELDB_BLOOM_H_

#include <cstdint>

#include "src/filter/kernel/layout_row.h"

namespace bloomline::kernels {

// `hash` is LevelDBHash32 of the key; num_bits > 0 is the payload's size in bits.
bool LevelDBBloomMayMatch(const char* payload, uint64_t num_bits, int num_probes, uint32_t hash);
void LevelDBBloomInsert(char* payload, uint64_t num_bits, int num_probes, uint32_t hash);

}  // namespace bloomline::kernels

namespace bloomline::filter {

extern const LayoutRow kClassicRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_LEVELDB_BLOOM_LEVELDB_BLOOM_H_
