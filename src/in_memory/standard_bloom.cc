#include "src/in_memory/standard_bloom.h"

#include "src/filter/kernels/blocked/atomic_words.h"
#include "src/filter/kernels/blocked/blocks.h"
#include "src/filter/kernels/probe_sequence.h"

namespace bloomline::in_memory {
namespace {

inline uint64_t Position(const StandardBits& bits, uint64_t hash, int j) {
  return kernels::StandardBit(kernels::WideProbe(kernels::StandardPair(hash), j), bits.num_bits);
}

inline uint64_t* Word(const StandardBits& bits, uint64_t position) {
  return reinterpret_cast<uint64_t*>(bits.data) + position / kernels::kWordBits;
}

// set(word, mask) sets the bit of the mask and returns true if it was not set.
template <typename Set>
inline void AddKeys(const StandardBits& bits, size_t n, const uint64_t* hashes, bool* changed,
                    Set set) {
  for (size_t i = 0; i < n; ++i) {
    bool is_new = false;
    for (int j = 0; j < bits.num_probes; ++j) {
      const uint64_t position = Position(bits, hashes[i], j);
      is_new |= set(Word(bits, position), kernels::WordMask(position));
    }
    changed[i] = is_new;
  }
}

}  // namespace

void StandardAddHashes(const StandardBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  AddKeys(bits, n, hashes, changed, [](uint64_t* word, uint64_t mask) {
    const bool is_new = (*word & mask) == 0;
    *word |= mask;
    return is_new;
  });
}

void StandardAtomicAddHashes(const StandardBits& bits, size_t n, const uint64_t* hashes,
                             bool* changed) {
  AddKeys(bits, n, hashes, changed, [](uint64_t* word, uint64_t mask) {
    if ((kernels::LoadAtomic(word) & mask) != 0) return false;
    kernels::OrAtomic(word, mask);
    return true;
  });
}

bool StandardAddHash(const StandardBits& bits, uint64_t hash) {
  bool changed;
  StandardAddHashes(bits, 1, &hash, &changed);
  return changed;
}

bool StandardMayMatchHash(const StandardBits& bits, uint64_t hash) {
  for (int j = 0; j < bits.num_probes; ++j) {
    const uint64_t position = Position(bits, hash, j);
    if ((kernels::LoadAtomic(Word(bits, position)) & kernels::WordMask(position)) == 0) {
      return false;
    }
  }
  return true;
}

// Probe by probe for all keys. In a full filter, half of the missing keys drop out at each probe.
void StandardMayMatchHashes(const StandardBits& bits, size_t n, const uint64_t* hashes,
                            bool* may_match) {
  size_t alive[kernels::kBatchKeys];
  uint64_t positions[kernels::kBatchKeys];
  for (size_t i = 0; i < n; ++i) {
    alive[i] = i;
    positions[i] = Position(bits, hashes[i], 0);
    may_match[i] = false;
  }
  size_t num_alive = n;
  for (int next = 1; next <= bits.num_probes; ++next) {
    size_t kept = 0;
    for (size_t i = 0; i < num_alive; ++i) {
      const size_t key = alive[i];
      const uint64_t* word = Word(bits, positions[i]);
      const bool is_set = (kernels::LoadAtomic(word) & kernels::WordMask(positions[i])) != 0;
      // No branch on is_set: the next probe of a key that drops out is overwritten, and the line
      // prefetched for it is in the cache already.
      alive[kept] = key;
      if (next < bits.num_probes) {
        positions[kept] = Position(bits, hashes[key], next);
        __builtin_prefetch(is_set ? Word(bits, positions[kept]) : word);
      }
      kept += is_set ? 1 : 0;
    }
    num_alive = kept;
  }
  for (size_t i = 0; i < num_alive; ++i) may_match[alive[i]] = true;
}

void PrefetchStandardForAdd(const StandardBits& bits, uint64_t hash) {
  for (int j = 0; j < bits.num_probes; ++j) {
    __builtin_prefetch(Word(bits, Position(bits, hash, j)), 1);
  }
}

void PrefetchStandardForQuery(const StandardBits& bits, uint64_t hash) {
  __builtin_prefetch(Word(bits, Position(bits, hash, 0)));
}

}  // namespace bloomline::in_memory
