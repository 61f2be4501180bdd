// The probe sequence of docs/format.md, sections 2 and 3: which bits a 64-bit hash stands for.
#ifndef BLOOMLINE_KERNELS_PROBE_SEQUENCE_H_
#define BLOOMLINE_KERNELS_PROBE_SEQUENCE_H_

#include <cstdint>

namespace bloomline::kernels {

constexpr uint64_t kLineBytes = 64;
constexpr uint64_t kLineBits = 8 * kLineBytes;

// M[j] of docs/format.md. Plain double hashing (M[j] = j) costs 6 % more false positives at 10 bits
// per key and 2.9 times as many at 20; with these multipliers the rate is that of independent
// probes (docs/design.md). Padded with zeros to whole SIMD registers.
alignas(64) constexpr uint32_t kProbeMultipliers[32] = {
    0x428a2f99, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a5, 0xab1c5ed5,
    0xd807aa99, 0x12835b01, 0x243185bf, 0x550c7dc3, 0x72be5d75, 0x80deb1ff, 0x9bdc06a7, 0xc19bf175,
    0xe49b69c1, 0xefbe4787, 0x0fc19dc7, 0x240ca1cd, 0x2de92c6f, 0x4a7484ab, 0x5cb0a9dd, 0x76f988db,
    0x983e5153, 0xa831c66d, 0xb00327c9, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0,          0};

struct ProbePair {
  uint32_t a;
  uint32_t b;
};

inline uint32_t Probe(ProbePair pair, int j) { return pair.a + kProbeMultipliers[j] * pair.b; }

// Blocked: the line takes the upper bits of the hash, so both numbers come from the lower half.
inline ProbePair BlockedPair(uint64_t hash) {
  const uint32_t a = static_cast<uint32_t>(hash);
  return {a, a << 16 | a >> 16};
}

inline uint64_t BlockedLine(uint64_t hash, uint64_t num_lines) {
  __extension__ using Uint128 = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Uint128>(hash) * num_lines >> 64);
}

inline uint32_t BlockedBit(uint32_t probe) { return probe >> 23; }

inline ProbePair FlatPair(uint64_t hash) {
  return {static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32)};
}

inline uint32_t FlatBit(uint32_t probe, uint32_t num_bits) {
  return static_cast<uint32_t>(static_cast<uint64_t>(probe) * num_bits >> 32);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_PROBE_SEQUENCE_H_
