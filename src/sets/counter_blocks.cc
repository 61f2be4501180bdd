#include "src/sets/counter_blocks.h"

#include <algorithm>

#include "src/filter/bits/unrolled.h"

namespace bloomline::sets {
namespace {

using kernels::BlockedPair;
using kernels::Probe;
using kernels::ProbePair;

// Counters of kBits bits in their block.
template <int kBits>
struct Counters {
  static_assert(kBits == 4 || kBits == 8);
  static constexpr int kBitsPerCounter = kBits;
  static constexpr uint32_t kPerBlock = kernels::kBlockBits / kBits;
  static constexpr uint32_t kPerByte = 8 / kBits;
  static constexpr uint32_t kMax = (1u << kBits) - 1;  // saturated

  static uint32_t Index(uint32_t probe) { return kernels::BitInBlock<kPerBlock>(probe); }

  static uint32_t Get(const unsigned char* block, uint32_t i) {
    return static_cast<uint32_t>(block[i / kPerByte]) >> (i % kPerByte * kBits) & kMax;
  }
};

// The counters of a block that an operation has changed already. A counter that several probes of a
// hash hit is changed once, so that the hash means the same set of counters to Add, to Remove and
// to a Bloom filter's bits. It does not branch: in one hash of nine, two of six probes hit the same
// counter, which no processor can predict.
template <int kBits>
class SeenCounters {
 public:
  // Returns 1 if no earlier call named this counter, else 0.
  uint32_t IsNew(uint32_t index) {
    uint64_t& word = words_[kWords == 1 ? 0 : index / 64];
    const uint64_t shift = index % 64;
    const uint32_t is_new = static_cast<uint32_t>(~(word >> shift) & 1);
    word |= uint64_t{1} << shift;
    return is_new;
  }

 private:
  static constexpr uint32_t kWords = Counters<kBits>::kPerBlock / 64;
  uint64_t words_[kWords] = {};
};

// Returns the byte that holds counter `index`. Shifts *one to the counter's place in it.
template <int kBits>
unsigned char* ByteOf(unsigned char* block, uint32_t index, uint32_t* one) {
  *one <<= index % Counters<kBits>::kPerByte * kBits;
  return block + index / Counters<kBits>::kPerByte;
}

// Does not stop early: mispredicted branches cost more than the remaining loads of the block.
template <int kBits>
struct CounterQuery {
  template <int kNumProbes>
  static bool One(const unsigned char* block, uint64_t hash, int num_probes) {
    using C = Counters<kBits>;
    const ProbePair pair = BlockedPair(hash);
    bool all = true;
#pragma GCC unroll 16
    for (int j = 0; j < (kNumProbes == 0 ? num_probes : kNumProbes); ++j) {
      all &= C::Get(block, C::Index(Probe(pair, j))) != 0;
    }
    return all;
  }

  template <int kNumProbes>
  static void Run(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* may_match) {
    for (size_t i = 0; i < n; ++i) {
      may_match[i] = One<kNumProbes>(blocks.Block(hashes[i]), hashes[i], blocks.num_probes);
    }
  }
};

template <int kBits>
struct CounterAdd {
  template <int kNumProbes>
  static void Run(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* was_absent,
                  uint64_t* num_saturated) {
    using C = Counters<kBits>;
    const int num_probes = kNumProbes == 0 ? blocks.num_probes : kNumProbes;
    for (size_t i = 0; i < n; ++i) {
      unsigned char* block = blocks.Block(hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
      SeenCounters<kBits> seen;
      bool absent = false;
      uint32_t saturated = 0;
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t index = C::Index(Probe(pair, j));
        const uint32_t is_new = seen.IsNew(index);
        const uint32_t count = C::Get(block, index);
        absent |= count == 0;
        saturated += is_new & (count == C::kMax - 1 ? 1u : 0u);
        uint32_t rise = is_new & (count != C::kMax ? 1u : 0u);
        unsigned char* byte = ByteOf<kBits>(block, index, &rise);
        *byte = static_cast<unsigned char>(*byte + rise);
      }
      was_absent[i] = absent;
      *num_saturated += saturated;
    }
  }
};

template <int kBits>
struct CounterRemove {
  template <int kNumProbes>
  static void Run(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* removed) {
    using C = Counters<kBits>;
    const int num_probes = kNumProbes == 0 ? blocks.num_probes : kNumProbes;
    for (size_t i = 0; i < n; ++i) {
      unsigned char* block = blocks.Block(hashes[i]);
      removed[i] = CounterQuery<kBits>::template One<kNumProbes>(block, hashes[i], num_probes);
      if (!removed[i]) continue;
      const ProbePair pair = BlockedPair(hashes[i]);
      SeenCounters<kBits> seen;
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t index = C::Index(Probe(pair, j));
        uint32_t fall = seen.IsNew(index) & (C::Get(block, index) != C::kMax ? 1u : 0u);
        unsigned char* byte = ByteOf<kBits>(block, index, &fall);
        *byte = static_cast<unsigned char>(*byte - fall);
      }
    }
  }
};

// Returns run(Counters<counter_bits>()).
template <typename Run>
auto WithCounters(const CounterBlocks& blocks, Run run) {
  return blocks.counter_bits == 4 ? run(Counters<4>()) : run(Counters<8>());
}

// F<counter_bits>::Run<num_probes>(blocks, args...).
template <template <int> class F, typename... Args>
void RunOnCounters(const CounterBlocks& blocks, const Args&... args) {
  WithCounters(blocks, [&](auto counters) {
    kernels::RunUnrolled<F<counters.kBitsPerCounter>>(blocks.num_probes, blocks, args...);
  });
}

}  // namespace

void CounterBlocks::MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const {
  RunOnCounters<CounterQuery>(*this, n, hashes, may_match);
}

void CounterBlocks::AddMany(size_t n, const uint64_t* hashes, bool* was_absent,
                            uint64_t* num_saturated) const {
  RunOnCounters<CounterAdd>(*this, n, hashes, was_absent, num_saturated);
}

void CounterBlocks::RemoveMany(size_t n, const uint64_t* hashes, bool* removed) const {
  RunOnCounters<CounterRemove>(*this, n, hashes, removed);
}

uint32_t CounterBlocks::LeastCount(uint64_t hash) const {
  return WithCounters(*this, [&](auto counters) {
    uint32_t least = counters.kMax;
    const ProbePair pair = BlockedPair(hash);
    for (int j = 0; j < num_probes; ++j) {
      least = std::min(least, counters.Get(Block(hash), counters.Index(Probe(pair, j))));
    }
    return least;
  });
}

void CounterBlocks::Merge(const CounterBlocks& other) const {
  WithCounters(*this, [&](auto counters) {
    for (uint64_t i = 0; i < num_bytes(); ++i) {
      uint32_t byte = 0;
      for (uint32_t counter = 0; counter < counters.kPerByte; ++counter) {
        const uint32_t sum =
            counters.Get(data + i, counter) + counters.Get(other.data + i, counter);
        byte |= std::min<uint32_t>(sum, counters.kMax) << (counter * counters.kBitsPerCounter);
      }
      data[i] = static_cast<unsigned char>(byte);
    }
  });
}

uint64_t CounterBlocks::NumSaturated() const {
  return WithCounters(*this, [&](auto counters) {
    uint64_t saturated = 0;
    for (uint64_t i = 0; i < num_bytes(); ++i) {
      for (uint32_t counter = 0; counter < counters.kPerByte; ++counter) {
        saturated += counters.Get(data + i, counter) == counters.kMax ? 1 : 0;
      }
    }
    return saturated;
  });
}

void CounterBlocks::ToBits(char* bits) const {
  WithCounters(*this, [&](auto counters) {
    const uint64_t bytes_of_eight = static_cast<uint64_t>(counter_bits);
    for (uint64_t i = 0; i < num_bytes(); i += bytes_of_eight) {
      uint32_t byte = 0;
      for (uint32_t counter = 0; counter < 8; ++counter) {
        byte |= (counters.Get(data + i, counter) != 0 ? 1u : 0u) << counter;
      }
      *bits++ = static_cast<char>(byte);
    }
  });
}

}  // namespace bloomline::sets
