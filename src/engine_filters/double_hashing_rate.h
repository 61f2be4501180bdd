// The false-positive rate of Bloom filters whose probes are h, h + d, h + 2d, ... with a step d
// that follows from h itself: LevelDB's, and RocksDB's legacy one.
//
// In few bits such probes are not independent. Two keys with the same step, or steps of a small
// ratio, share many bits at once; a step of 0 is a single probe. LevelDB's filters have a few
// hundred bits, RocksDB's blocks 512: at 10 bits per key the rate of 4 keys is 1.1 % instead of
// 0.1 %, that of 30 keys 0.99 % instead of 0.88 %, and no memory brings a legacy filter much below
// 0.1 % (facebook/rocksdb#4120). Which steps are harmful depends on the number of bits and on how
// 2^32 wraps around in it, so the rate is simulated, with the readers themselves.
#ifndef BLOOMLINE_ENGINE_FILTERS_DOUBLE_HASHING_RATE_H_
#define BLOOMLINE_ENGINE_FILTERS_DOUBLE_HASHING_RATE_H_

#include <cstdint>

namespace bloomline::engine_filters {

// Of a filter of num_keys > 0 random keys. Standard error: 2 % of the rate at 0.05 %, 1 % above
// 0.2 %. The same for the same arguments. Takes up to 20 ms. May throw std::bad_alloc.
double ClassicRate(uint64_t num_keys, uint64_t num_bits, int num_probes);
// log2_block_bytes as in LegacyBloomReader.
double LegacyRate(uint64_t num_keys, uint64_t num_blocks, int log2_block_bytes, int num_probes);

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_ENGINE_FILTERS_DOUBLE_HASHING_RATE_H_
