#include "src/filters/atomic_bits.h"

#include "src/filters/small_blocks.h"
#include "src/kernels/probe_sequence.h"
#include "src/kernels/shared_words.h"

namespace bloomline::filters {
namespace {

// f(word, mask) for the probes of a key in kUnblocked, until it returns false.
template <typename F>
inline void ForEachProbe(const BloomBits& bits, uint64_t hash, F f) {
  const kernels::WidePair pair = kernels::UnblockedPair(hash);
  for (int j = 0; j < bits.shape.num_probes; ++j) {
    const uint64_t bit = kernels::UnblockedBit(kernels::WideProbe(pair, j), bits.num_bits());
    if (!f(reinterpret_cast<uint64_t*>(bits.data) + bit / kernels::kWordBits,
           kernels::WordMask(bit)))
      return;
  }
}

void AddUnblocked(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  for (size_t i = 0; i < n; ++i) {
    changed[i] = false;
    ForEachProbe(bits, hashes[i], [&](uint64_t* word, uint64_t mask) {
      if ((kernels::LoadShared(word) & mask) == 0) {
        kernels::OrShared(word, mask);
        changed[i] = true;
      }
      return true;
    });
  }
}

void AskUnblocked(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_contain) {
  for (size_t i = 0; i < n; ++i) {
    ForEachProbe(bits, hashes[i], [&](const uint64_t* word, uint64_t mask) {
      return may_contain[i] = (kernels::LoadShared(word) & mask) != 0;
    });
  }
}

}  // namespace

void AtomicAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    bits.kernel->shared_add_many(bits.lines(), n, hashes, changed);
  } else if (bits.shape.layout == BloomLayout::kUnblocked) {
    AddUnblocked(bits, n, hashes, changed);
  } else {
    AddToSmallBlocks(bits, n, hashes, changed);
  }
}

void AtomicHashesMayContain(const BloomBits& bits, size_t n, const uint64_t* hashes,
                            bool* may_contain) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    bits.kernel->shared_may_match_many(bits.lines(), n, hashes, may_contain);
  } else if (bits.shape.layout == BloomLayout::kUnblocked) {
    AskUnblocked(bits, n, hashes, may_contain);
  } else {
    AskSmallBlocks(bits, n, hashes, may_contain);
  }
}

void AtomicCopy(const BloomBits& from, const BloomBits& to) {
  const auto* source = reinterpret_cast<const uint64_t*>(from.data);
  auto* destination = reinterpret_cast<uint64_t*>(to.data);
  const uint64_t num_words = from.num_bytes() / sizeof(uint64_t);
  for (uint64_t i = 0; i < num_words; ++i) destination[i] = kernels::LoadShared(source + i);
}

}  // namespace bloomline::filters
