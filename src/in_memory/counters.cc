#include "src/in_memory/counters.h"

#include <algorithm>

namespace bloomline::in_memory {
namespace {

using kernels::CounterBlocks;
using kernels::Counters;

template <int kBits>
uint32_t Least(const CounterBlocks& lines, uint64_t hash) {
  using C = Counters<kBits>;
  const unsigned char* line = lines.Block(hash);
  const kernels::ProbePair pair = kernels::BlockedPair(hash);
  uint32_t least = C::kMax;
  for (int j = 0; j < lines.num_probes; ++j) {
    least = std::min(least, C::Get(line, C::Index(kernels::Probe(pair, j))));
  }
  return least;
}

template <int kBits>
void Merge(const CounterBlocks& from, const CounterBlocks& to) {
  using C = Counters<kBits>;
  for (uint64_t i = 0; i < to.num_bytes(); ++i) {
    uint32_t byte = 0;
    for (uint32_t counter = 0; counter < C::kPerByte; ++counter) {
      const uint32_t sum = C::Get(from.data + i, counter) + C::Get(to.data + i, counter);
      byte |= std::min(sum, uint32_t{C::kMax}) << (counter * kBits);
    }
    to.data[i] = static_cast<unsigned char>(byte);
  }
}

template <int kBits>
uint64_t Saturated(const CounterBlocks& lines) {
  using C = Counters<kBits>;
  uint64_t saturated = 0;
  for (uint64_t i = 0; i < lines.num_bytes(); ++i) {
    for (uint32_t counter = 0; counter < C::kPerByte; ++counter) {
      saturated += C::Get(lines.data + i, counter) == C::kMax ? 1 : 0;
    }
  }
  return saturated;
}

template <int kBits>
void ToBits(const CounterBlocks& lines, char* bits) {
  constexpr uint64_t kBytesOfEight = kBits;
  for (uint64_t i = 0; i < lines.num_bytes(); i += kBytesOfEight) {
    uint32_t byte = 0;
    for (uint32_t counter = 0; counter < 8; ++counter) {
      byte |= (Counters<kBits>::Get(lines.data + i, counter) != 0 ? 1u : 0u) << counter;
    }
    *bits++ = static_cast<char>(byte);
  }
}

}  // namespace

uint32_t LeastCount(const CounterBlocks& lines, uint64_t hash) {
  return lines.counter_bits == 4 ? Least<4>(lines, hash) : Least<8>(lines, hash);
}

void MergeCounters(const CounterBlocks& from, const CounterBlocks& to) {
  to.counter_bits == 4 ? Merge<4>(from, to) : Merge<8>(from, to);
}

uint64_t CountSaturated(const CounterBlocks& lines) {
  return lines.counter_bits == 4 ? Saturated<4>(lines) : Saturated<8>(lines);
}

void CountersToBits(const CounterBlocks& lines, char* bits) {
  lines.counter_bits == 4 ? ToBits<4>(lines, bits) : ToBits<8>(lines, bits);
}

}  // namespace bloomline::in_memory
