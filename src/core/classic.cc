#include "src/core/classic.h"

namespace bloomline::core {
namespace {

inline uint32_t Delta(uint32_t hash) { return hash >> 17 | hash << 15; }

}  // namespace

bool ClassicMayMatch(const char* payload, uint64_t num_bits, int num_probes, uint32_t hash) {
  const uint32_t delta = Delta(hash);
  for (int j = 0; j < num_probes; ++j, hash += delta) {
    const uint64_t bit = hash % num_bits;
    if ((static_cast<unsigned char>(payload[bit / 8]) >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

void ClassicInsert(char* payload, uint64_t num_bits, int num_probes, uint32_t hash) {
  const uint32_t delta = Delta(hash);
  for (int j = 0; j < num_probes; ++j, hash += delta) {
    const uint64_t bit = hash % num_bits;
    payload[bit / 8] =
        static_cast<char>(static_cast<unsigned char>(payload[bit / 8]) | 1u << (bit % 8));
  }
}

}  // namespace bloomline::core
