// LevelDB's own Bloom filter, byte for byte (docs/format.md, section 3.1; leveldb util/bloom.cc).
#ifndef BLOOMLINE_CORE_CLASSIC_H_
#define BLOOMLINE_CORE_CLASSIC_H_

#include <cstdint>

namespace bloomline::core {

// `hash` is LevelDBHash32 of the key; num_bits > 0 is the payload's size in bits.
bool ClassicMayMatch(const char* payload, uint64_t num_bits, int num_probes, uint32_t hash);
void ClassicInsert(char* payload, uint64_t num_bits, int num_probes, uint32_t hash);

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_CLASSIC_H_
