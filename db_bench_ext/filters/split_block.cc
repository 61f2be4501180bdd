// A peer: the split-block Bloom filter of the Parquet specification (BloomFilter.md), written from
// it. A block is eight words of 32 bits, and a key sets one bit in each. Parquet hashes by XXH64;
// here it is XXH3, and the memory is that of BloomFilter, so that only the filters differ.

#include "db_bench_ext/filters/case.h"
#include "src/support/memory.h"

#define XXH_INLINE_ALL
#define XXH_VECTOR 0  // for long keys, which no bench has; GCC 12 warns of the code for AVX-512
#include <xxhash.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace bloomline::bench {
namespace {

using Block = uint32_t __attribute__((vector_size(32)));
constexpr Block kSalt = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                         0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

class SplitBlockFilter {
 public:
  SplitBlockFilter(uint64_t num_keys, double bits_per_key)
      : num_blocks_(2 * static_cast<uint64_t>(1 + static_cast<double>(num_keys) * bits_per_key /
                                                      (2 * kBlockBits))),
        memory_(support::AlignedMemory::Zeroed(num_blocks_ * sizeof(Block))),
        blocks_(reinterpret_cast<Block*>(memory_.data())) {}

  void AddKey(std::string_view key) {
    const uint64_t hash = Hash(key);
    blocks_[Index(hash)] |= Mask(hash);
  }
  void Finish() {}
  bool MayMatch(std::string_view key) const { return HashMayMatch(Hash(key)); }
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
    uint64_t hashes[kBatchKeys];
    for (size_t i = 0; i < n; ++i) {
      hashes[i] = Hash(keys[i]);
      __builtin_prefetch(&blocks_[Index(hashes[i])]);
    }
    for (size_t i = 0; i < n; ++i) may_match[i] = HashMayMatch(hashes[i]);
  }
  size_t num_bytes() const { return num_blocks_ * sizeof(Block); }

 private:
  static constexpr int kBlockBits = 8 * sizeof(Block);

  static uint64_t Hash(std::string_view key) { return XXH3_64bits(key.data(), key.size()); }
  uint64_t Index(uint64_t hash) const { return (hash >> 32) * num_blocks_ >> 32; }
  static Block Mask(uint64_t hash) {
    return (Block{} + 1) << ((kSalt * static_cast<uint32_t>(hash)) >> 27);
  }
  bool HashMayMatch(uint64_t hash) const {
    const Block missing = Mask(hash) & ~blocks_[Index(hash)];
#if defined(__AVX2__)
    const auto bits = reinterpret_cast<__m256i>(missing);
    return _mm256_testz_si256(bits, bits) != 0;
#else
    uint32_t any = 0;
    for (int i = 0; i < 8; ++i) any |= missing[i];
    return any == 0;
#endif
  }

  uint64_t num_blocks_;
  support::AlignedMemory memory_;
  Block* blocks_;
};

}  // namespace

MemorySubject SplitBlockSubject(const std::string& name, double bits_factor) {
  return MemorySubjectOf<SplitBlockFilter>(name, "", bits_factor);
}

}  // namespace bloomline::bench
