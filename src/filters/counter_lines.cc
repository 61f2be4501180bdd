#include "src/filters/counter_lines.h"

#include <algorithm>

#include "src/kernels/unrolled.h"

namespace bloomline::filters {
namespace {

template <int kBits>
struct Counters {
  static constexpr uint32_t kPerLine = kernels::kLineBits / kBits;
  static constexpr uint32_t kPerByte = 8 / kBits;
  static constexpr uint32_t kMax = (1u << kBits) - 1;

  static uint32_t Get(const unsigned char* line, uint32_t i) {
    return static_cast<uint32_t>(line[i / kPerByte]) >> (i % kPerByte * kBits) & kMax;
  }

  // The counter neither overflows nor underflows.
  static void Raise(unsigned char* line, uint32_t i, uint32_t by) {
    unsigned char* byte = line + i / kPerByte;
    *byte = static_cast<unsigned char>(*byte + (by << (i % kPerByte * kBits)));
  }
  static void Lower(unsigned char* line, uint32_t i, uint32_t by) {
    unsigned char* byte = line + i / kPerByte;
    *byte = static_cast<unsigned char>(*byte - (by << (i % kPerByte * kBits)));
  }
};

template <int kBits>
uint32_t Position(kernels::ProbePair pair, int j) {
  return kernels::SmallBlockBit<Counters<kBits>::kPerLine>(kernels::Probe(pair, j));
}

// Which counters of a line an operation has had. Where probes meet, the counter is changed once, so
// that a hash means the same set of counters to Add, Remove and a Bloom filter's bits. Without a
// branch: two of six probes meet in one key of nine, which no processor can foresee.
template <int kBits>
class SeenPositions {
 public:
  // 1 if no earlier call had this position, else 0.
  uint32_t IsNew(uint32_t position) {
    uint64_t& word = words_[position / 64];
    const uint64_t shift = position % 64;
    const uint32_t is_new = static_cast<uint32_t>(~(word >> shift) & 1);
    word |= uint64_t{1} << shift;
    return is_new;
  }

 private:
  uint64_t words_[Counters<kBits>::kPerLine / 64] = {};
};

unsigned char* Line(const CounterLines& lines, uint64_t hash) {
  return lines.data + kernels::BlockedLine(hash, lines.num_lines) * kernels::kLineBytes;
}

// No early end: its mispredicted branches cost more than the remaining loads of the line.
template <int kBits>
struct Ask {
  template <int kNumProbes>
  static bool One(const unsigned char* line, uint64_t hash, int num_probes) {
    const kernels::ProbePair pair = kernels::BlockedPair(hash);
    bool all = true;
#pragma GCC unroll 16
    for (int j = 0; j < (kNumProbes == 0 ? num_probes : kNumProbes); ++j) {
      all &= Counters<kBits>::Get(line, Position<kBits>(pair, j)) != 0;
    }
    return all;
  }

  template <int kNumProbes>
  static void Run(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* may_contain) {
    for (size_t i = 0; i < n; ++i) {
      may_contain[i] = One<kNumProbes>(Line(lines, hashes[i]), hashes[i], lines.num_probes);
    }
  }
};

template <int kBits>
struct Add {
  template <int kNumProbes>
  static void Run(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* was_absent,
                  uint64_t* num_saturated) {
    using C = Counters<kBits>;
    const int num_probes = kNumProbes == 0 ? lines.num_probes : kNumProbes;
    for (size_t i = 0; i < n; ++i) {
      unsigned char* line = Line(lines, hashes[i]);
      const kernels::ProbePair pair = kernels::BlockedPair(hashes[i]);
      SeenPositions<kBits> seen;
      bool absent = false;
      uint32_t saturated = 0;
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t position = Position<kBits>(pair, j);
        const uint32_t is_new = seen.IsNew(position);
        const uint32_t count = C::Get(line, position);
        absent |= count == 0;
        saturated += is_new & (count == C::kMax - 1 ? 1u : 0u);
        C::Raise(line, position, is_new & (count != C::kMax ? 1u : 0u));
      }
      was_absent[i] = absent;
      *num_saturated += saturated;
    }
  }
};

template <int kBits>
struct Remove {
  template <int kNumProbes>
  static void Run(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* removed) {
    using C = Counters<kBits>;
    const int num_probes = kNumProbes == 0 ? lines.num_probes : kNumProbes;
    for (size_t i = 0; i < n; ++i) {
      unsigned char* line = Line(lines, hashes[i]);
      removed[i] = Ask<kBits>::template One<kNumProbes>(line, hashes[i], num_probes);
      if (!removed[i]) continue;
      const kernels::ProbePair pair = kernels::BlockedPair(hashes[i]);
      SeenPositions<kBits> seen;
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t position = Position<kBits>(pair, j);
        const uint32_t unsaturated = C::Get(line, position) != C::kMax ? 1 : 0;
        C::Lower(line, position, seen.IsNew(position) & unsaturated);
      }
    }
  }
};

template <template <int> class F, typename... Args>
void RunOn(const CounterLines& lines, const Args&... args) {
  if (lines.counter_bits == 4) {
    kernels::RunUnrolled<F<4>>(lines.num_probes, lines, args...);
  } else {
    kernels::RunUnrolled<F<8>>(lines.num_probes, lines, args...);
  }
}

template <int kBits>
uint32_t LeastOf(const CounterLines& lines, uint64_t hash) {
  const unsigned char* line = Line(lines, hash);
  const kernels::ProbePair pair = kernels::BlockedPair(hash);
  uint32_t least = Counters<kBits>::kMax;
  for (int j = 0; j < lines.num_probes; ++j) {
    least = std::min(least, Counters<kBits>::Get(line, Position<kBits>(pair, j)));
  }
  return least;
}

template <int kBits>
void Merge(const CounterLines& from, const CounterLines& to) {
  using C = Counters<kBits>;
  for (uint64_t i = 0; i < to.num_bytes(); ++i) {
    uint32_t byte = 0;
    for (uint32_t counter = 0; counter < C::kPerByte; ++counter) {
      const uint32_t sum = C::Get(from.data + i, counter) + C::Get(to.data + i, counter);
      byte |= std::min(sum, C::kMax) << (counter * kBits);
    }
    to.data[i] = static_cast<unsigned char>(byte);
  }
}

template <int kBits>
uint64_t Saturated(const CounterLines& lines) {
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
void ToBits(const CounterLines& lines, char* bits) {
  constexpr uint32_t kBytesPerEight = kBits;  // of counters, for eight of them
  for (uint64_t i = 0; i < lines.num_bytes(); i += kBytesPerEight) {
    uint32_t byte = 0;
    for (uint32_t counter = 0; counter < 8; ++counter) {
      byte |= (Counters<kBits>::Get(lines.data + i, counter) != 0 ? 1u : 0u) << counter;
    }
    *bits++ = static_cast<char>(byte);
  }
}

}  // namespace

void AskCounters(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* may_contain) {
  RunOn<Ask>(lines, n, hashes, may_contain);
}

uint64_t AddToCounters(const CounterLines& lines, size_t n, const uint64_t* hashes,
                       bool* was_absent) {
  uint64_t num_saturated = 0;
  uint64_t* const sum = &num_saturated;
  RunOn<Add>(lines, n, hashes, was_absent, sum);
  return num_saturated;
}

void RemoveFromCounters(const CounterLines& lines, size_t n, const uint64_t* hashes,
                        bool* removed) {
  RunOn<Remove>(lines, n, hashes, removed);
}

uint32_t LeastCount(const CounterLines& lines, uint64_t hash) {
  return lines.counter_bits == 4 ? LeastOf<4>(lines, hash) : LeastOf<8>(lines, hash);
}

void MergeCounters(const CounterLines& from, const CounterLines& to) {
  to.counter_bits == 4 ? Merge<4>(from, to) : Merge<8>(from, to);
}

uint64_t CountSaturated(const CounterLines& lines) {
  return lines.counter_bits == 4 ? Saturated<4>(lines) : Saturated<8>(lines);
}

void CountersToBits(const CounterLines& lines, char* bits) {
  lines.counter_bits == 4 ? ToBits<4>(lines, bits) : ToBits<8>(lines, bits);
}

}  // namespace bloomline::filters
