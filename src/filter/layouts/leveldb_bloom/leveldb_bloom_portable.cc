// LevelDB's own filter: docs/format.md, section 3.1.
#include "src/filter/bits/bits.h"
#include "src/filter/layouts/leveldb_bloom/leveldb_bloom.h"

namespace bloomline::kernels {
namespace {

inline uint32_t Delta(uint32_t hash) { return hash >> 17 | hash << 15; }

}  // namespace

bool LevelDBBloomMayMatch(const char* payload, uint64_t num_bits, int num_probes, uint32_t hash) {
  const uint32_t delta = Delta(hash);
  for (int j = 0; j < num_probes; ++j, hash += delta) {
    if (!TestBit(payload, hash % num_bits)) return false;
  }
  return true;
}

void LevelDBBloomInsert(char* payload, uint64_t num_bits, int num_probes, uint32_t hash) {
  const uint32_t delta = Delta(hash);
  for (int j = 0; j < num_probes; ++j, hash += delta) SetBit(payload, hash % num_bits);
}

}  // namespace bloomline::kernels
