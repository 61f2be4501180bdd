// The specification of small sets' blocks: their queries and their solver.
#include "src/filter/layouts/small_set/small_set.h"
#include "src/filter/layouts/small_set/small_set_query.h"
#include "src/filter/layouts/small_set/small_set_solver.h"

namespace bloomline::kernels::small_set {
namespace {

// Byte i of entry b is all ones if bit i of b is set.
struct ByteMasks {
  constexpr ByteMasks() {
    for (unsigned b = 0; b < 256; ++b) {
      for (unsigned i = 0; i < 8; ++i) {
        if ((b >> i & 1) != 0) of[b] |= uint64_t{0xFF} << (8 * i);
      }
    }
  }
  uint64_t of[256] = {};
};
alignas(64) constexpr ByteMasks kByteMasks;

// Eight slots at a time. Only a block that ends soon after its slots needs care at the end: at
// least the header follows them.
template <bool kToTheEnd>
BLOOMLINE_ALWAYS_INLINE uint64_t SumOfGroups(const char* block, unsigned block_bytes,
                                             unsigned slots, uint64_t coefficients) {
  uint64_t sum = 0;
  for (unsigned slot = 0; slot < slots; slot += 8, coefficients >>= 8) {
    const unsigned byte = kToTheEnd ? std::min(slot, block_bytes - 8) : slot;
    const uint64_t mask = kByteMasks.of[coefficients & 0xFF] << (8 * (slot - byte));
    sum ^= LoadLittleEndian64(block + byte) & mask;
  }
  return sum;
}

uint64_t ByteSum(const char* block, unsigned block_bytes, unsigned slots, uint64_t coefficients) {
  uint64_t sum = slots + 7 < block_bytes
                     ? SumOfGroups<false>(block, block_bytes, slots, coefficients)
                     : SumOfGroups<true>(block, block_bytes, slots, coefficients);
  sum ^= sum >> 32;
  sum ^= sum >> 16;
  return sum ^ sum >> 8;
}

bool MayMatch(const char* block, uint32_t block_bytes, uint32_t first_attempt, uint64_t hash) {
  return SmallSetMayMatch(block, block_bytes, first_attempt, hash, ByteSum);
}

void Clear(Equations* equations, size_t n, const PivotBatch& batch) {
  // All sums of the batch's equations.
  uint64_t slots[1 << kBatchPivots] = {};
  uint64_t hashes[1 << kBatchPivots] = {};
  unsigned shifts[kBatchPivots];
  for (unsigned j = 0; j < kBatchPivots; ++j) {
    for (unsigned sum = 0; sum < 1u << j; ++sum) {
      slots[sum | 1u << j] = slots[sum] ^ batch.slots[j];
      hashes[sum | 1u << j] = hashes[sum] ^ batch.hashes[j];
    }
    shifts[j] = batch.pivots[j];
  }
  for (size_t i = 0; i < n; ++i) {
    const uint64_t s = equations->slots[i];
    const uint64_t sum = (s >> shifts[0] & 1) | (s >> shifts[1] & 1) << 1 |
                         (s >> shifts[2] & 1) << 2 | (s >> shifts[3] & 1) << 3;
    equations->slots[i] = s ^ slots[sum];
    equations->hashes[i] ^= hashes[sum];
  }
}

int Solve(const uint64_t* hashes, size_t n, unsigned num_attempts, uint32_t block_bytes,
          char* block) {
  return SolveSmallSet(hashes, n, num_attempts, block_bytes, block, Clear);
}

}  // namespace
}  // namespace bloomline::kernels::small_set

namespace bloomline::kernels {

SmallSetKernel PortableSmallSet() { return {small_set::MayMatch, small_set::Solve}; }

}  // namespace bloomline::kernels
