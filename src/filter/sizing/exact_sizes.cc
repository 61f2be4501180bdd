// Sizes and capacities in whole bits, blocks and keys, at a given number of probes.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bloomline/filter_theory.h"
#include "src/filter/format/limits.h"
#include "src/filter/format/num_probes.h"
#include "src/filter/kernels/probe_sequence.h"
#include "src/filter/sizing/search.h"
#include "src/support/error_text.h"

namespace bloomline {
namespace {

using filter::IsRate;
using filter::LeastThat;
using filter::MostWithout;
using filter::ToUnits;

bool CanSolve(uint64_t units, double rate, int num_probes) {
  return units != 0 && IsRate(rate) && filter::ProbesInRange(num_probes);
}

// c = -k / ln(1 - p^(1/k)), from which the search for the exact number starts.
double LargeBitsPerKey(double rate, int num_probes) {
  const double k = num_probes;
  return -k / std::log1p(-std::pow(rate, 1 / k));
}

constexpr double kBlockBits = static_cast<double>(kernels::kBlockBits);

}  // namespace

uint64_t StandardNumBits(uint64_t num_keys, double rate, int num_probes) {
  if (!CanSolve(num_keys, rate, num_probes)) return 0;
  const double guess = static_cast<double>(num_keys) * LargeBitsPerKey(rate, num_probes);
  return LeastThat(ToUnits(guess), [&](uint64_t num_bits) {
    return ExactStandardFalsePositiveRate(num_keys, num_bits, num_probes) <= rate;
  });
}

uint64_t BlockedNumBlocks(uint64_t num_keys, double rate, int num_probes) {
  if (!CanSolve(num_keys, rate, num_probes)) return 0;
  double bits_per_key = BitsPerKeyWithNumProbes(Format::kBlocked, rate, num_probes);
  if (std::isnan(bits_per_key)) bits_per_key = kMaxBitsPerKey;
  return LeastThat(ToUnits(static_cast<double>(num_keys) * bits_per_key / kBlockBits),
                   [&](uint64_t num_blocks) {
                     return ExactBlockedFalsePositiveRate(num_keys, num_blocks, num_probes) <= rate;
                   });
}

uint64_t StandardCapacity(uint64_t num_bits, double rate, int num_probes) {
  if (!CanSolve(num_bits, rate, num_probes)) return 0;
  const double guess = static_cast<double>(num_bits) / LargeBitsPerKey(rate, num_probes);
  return MostWithout(ToUnits(guess), [&](uint64_t num_keys) {
    return ExactStandardFalsePositiveRate(num_keys, num_bits, num_probes) > rate;
  });
}

uint64_t BlockedCapacity(uint64_t num_blocks, double rate, int num_probes) {
  if (!CanSolve(num_blocks, rate, num_probes)) return 0;
  double bits_per_key = BitsPerKeyWithNumProbes(Format::kBlocked, rate, num_probes);
  if (std::isnan(bits_per_key)) bits_per_key = kMaxBitsPerKey;
  return MostWithout(
      ToUnits(static_cast<double>(num_blocks) * kBlockBits / bits_per_key), [&](uint64_t num_keys) {
        return ExactBlockedFalsePositiveRate(num_keys, num_blocks, num_probes) > rate;
      });
}

std::string ValidateNumProbes(int num_probes) {
  if (filter::ProbesInRange(num_probes)) return "";
  support::ErrorText error;
  error << "number of probes is " << num_probes << "; allowed: " << kMinProbes << " to "
        << kMaxProbes;
  return error.str();
}

// ---- Memory of hash tables, sets and arrays, for comparison with filters.

namespace {

uint64_t SaturatingProduct(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t SaturatingSum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

// What glibc's malloc takes: a header of 8 bytes, in steps of 16 bytes, at least 32 bytes.
uint64_t MallocBytes(uint64_t size) {
  return std::max<uint64_t>(32, SaturatingSum(size, 8 + 15) / 16 * 16);
}

}  // namespace

uint64_t HashTableBytes(uint64_t num_keys, uint64_t entry_bytes) {
  if (num_keys == 0) return 0;
  uint64_t slots = 1;
  while (slots - slots / 8 < num_keys) {
    if (slots > UINT64_MAX / 2) return UINT64_MAX;
    slots *= 2;
  }
  return SaturatingProduct(slots, SaturatingSum(entry_bytes, 1));
}

uint64_t UnorderedSetBytes(uint64_t num_keys, uint64_t key_bytes) {
  constexpr uint64_t kBucket = 8;
  constexpr uint64_t kNode = 8 + 32 + 8;  // next, string, hash
  constexpr uint64_t kInsideString = 15;
  const uint64_t outside = key_bytes <= kInsideString ? 0 : MallocBytes(key_bytes + 1);
  return SaturatingProduct(num_keys, SaturatingSum(kBucket + MallocBytes(kNode), outside));
}

uint64_t SortedArrayBytes(uint64_t num_keys, uint64_t key_bytes) {
  return SaturatingProduct(num_keys, key_bytes);
}

}  // namespace bloomline
