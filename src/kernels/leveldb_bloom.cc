#include "src/kernels/leveldb_bloom.h"

namespace bloomline::kernels {
namespace {

inline uint32_t Delta(uint32_t hash) { return hash >> 17 | hash << 15; }

}  // namespace

bool LevelDBBloomMayMatch(const char* payload, uint64_t num_bits, int num_probes, uint32_t hash) {
  const uint32_t delta = Delta(hash);
  for (int j = 0; j < num_probes; ++j, hash += delta) {
    const uint64_t bit = hash % num_bits;
    if ((static_cast<unsigned char>(payload[bit / 8]) >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

void LevelDBBloomInsert(char* payload, uint64_t num_bits, int num_probes, uint32_t hash) {
  const uint32_t delta = Delta(hash);
  for (int j = 0; j < num_probes; ++j, hash += delta) {
    const uint64_t bit = hash % num_bits;
    payload[bit / 8] =
        static_cast<char>(static_cast<unsigned char>(payload[bit / 8]) | 1u << (bit % 8));
  }
}

}  // namespace bloomline::kernels
