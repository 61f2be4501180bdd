// The inverses in whole units (bits, lines, bytes, keys), and what they answer when there is none.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "bloomline/sizing.h"
#include "src/errors/error_text.h"
#include "src/format/layout.h"
#include "src/format/leveldb_codes.h"
#include "src/format/limits.h"
#include "src/format/trailer.h"

namespace bloomline {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Past it sums and products below could wrap; no filter comes near.
constexpr uint64_t kMaxUnits = uint64_t{1} << 62;

bool IsRate(double rate) { return rate > 0 && rate < 1; }

// A whole number from 1 on; the cast alone would be undefined for what is too large, or NaN.
uint64_t ToUnits(double value) {
  if (!(value > 1)) return 1;
  return value < static_cast<double>(kMaxUnits) ? static_cast<uint64_t>(value) : kMaxUnits;
}

// The least value >= 1 with holds(value), in as few calls as `guess` is good: steps from the guess
// double until the answer lies between two of them. holds must be false, then true; where it wavers
// by rounding, the result still holds and the value below it does not. 0 if kMaxUnits does not
// hold.
template <typename Holds>
uint64_t LeastThat(uint64_t guess, Holds holds) {
  uint64_t low = 0;  // does not hold, or is 0
  uint64_t high = std::clamp<uint64_t>(guess, 1, kMaxUnits);
  if (holds(high)) {
    for (uint64_t step = 1; high > step; step *= 2) {
      if (!holds(high - step)) {
        low = high - step;
        break;
      }
      high -= step;
    }
  } else {
    for (uint64_t step = 1;; step *= 2) {
      if (high == kMaxUnits) return 0;
      low = high;
      high = std::min(high + step, kMaxUnits);
      if (holds(high)) break;
    }
  }
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

// The most that does not exceed: the value before the least that does.
template <typename Exceeds>
uint64_t MostWithout(uint64_t guess, Exceeds exceeds) {
  const uint64_t exceeding = LeastThat(guess, exceeds);
  return exceeding == 0 ? kMaxUnits : exceeding - 1;
}

bool CanSolve(uint64_t units, double rate, int num_probes) {
  return units != 0 && IsRate(rate) && core::ProbesInRange(num_probes);
}

// c = -k / ln(1 - p^(1/k)): where the search for the exact number starts.
double LargeBitsPerKey(double rate, int num_probes) {
  const double k = num_probes;
  return -k / std::log1p(-std::pow(rate, 1 / k));
}

constexpr double kBlockBits = static_cast<double>(kernels::kBlockBits);

// Rate of a classic filter with its 32-bit hash and positions.
double HashedClassicRate(uint64_t num_keys, uint64_t num_bits, int num_probes) {
  constexpr uint64_t kPositions = uint64_t{1} << 32;
  const double same_hash =
      -std::expm1(static_cast<double>(num_keys) * std::log1p(-1.0 / kPositions));
  const double bloom =
      ExactStandardFalsePositiveRate(num_keys, std::min(num_bits, kPositions), num_probes);
  return same_hash + (1 - same_hash) * bloom;
}

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
                   [&](uint64_t num_lines) {
                     return ExactBlockedFalsePositiveRate(num_keys, num_lines, num_probes) <= rate;
                   });
}

uint64_t StandardCapacity(uint64_t num_bits, double rate, int num_probes) {
  if (!CanSolve(num_bits, rate, num_probes)) return 0;
  const double guess = static_cast<double>(num_bits) / LargeBitsPerKey(rate, num_probes);
  return MostWithout(ToUnits(guess), [&](uint64_t num_keys) {
    return ExactStandardFalsePositiveRate(num_keys, num_bits, num_probes) > rate;
  });
}

uint64_t BlockedCapacity(uint64_t num_lines, double rate, int num_probes) {
  if (!CanSolve(num_lines, rate, num_probes)) return 0;
  double bits_per_key = BitsPerKeyWithNumProbes(Format::kBlocked, rate, num_probes);
  if (std::isnan(bits_per_key)) bits_per_key = kMaxBitsPerKey;
  return MostWithout(ToUnits(static_cast<double>(num_lines) * kBlockBits / bits_per_key),
                     [&](uint64_t num_keys) {
                       return ExactBlockedFalsePositiveRate(num_keys, num_lines, num_probes) > rate;
                     });
}

double FalsePositiveRateWithKeys(Format format, double bits_per_key, uint64_t capacity,
                                 uint64_t num_keys) {
  if (!core::IsAllowed(format, bits_per_key)) return kNone;
  if (num_keys == 0) return 0;
  if (capacity == 0) return 1;
  const int num_probes = OptimalNumProbes(format, bits_per_key);
  if (format == Format::kClassic) {
    const core::FilterShape shape = core::ClassicShape(capacity, bits_per_key);
    return HashedClassicRate(num_keys, 8 * shape.payload_bytes(), num_probes);
  }
  const core::FilterShape shape =
      core::StandaloneShape(format, capacity, bits_per_key, num_probes, UINT64_MAX);
  switch (format) {
    case Format::kClassic:
      break;
    case Format::kBlocked:
      return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, num_probes);
    case Format::kCompact:
      return ExactCompactFalsePositiveRate(num_keys, shape.num_blocks, shape.block_bytes,
                                           shape.base_slots);
  }
  return kNone;
}

double BitsPerKeyForFilterBytes(Format format, uint64_t num_keys, uint64_t filter_bytes) {
  auto [low, high] = AllowedBitsPerKey(format);
  const auto fits = [&](double bits_per_key) {
    return FilterBytes(format, num_keys, bits_per_key) <= filter_bytes;
  };
  if (num_keys == 0 || filter_bytes > kMaxUnits / 4 || !fits(low)) return kNone;
  if (fits(high)) return high;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    (fits(middle) ? low : high) = middle;
  }
}

uint64_t Capacity(Format format, uint64_t filter_bytes, double bits_per_key) {
  if (!core::IsAllowed(format, bits_per_key) || filter_bytes > kMaxUnits / 4) return 0;
  const double guess = static_cast<double>(filter_bytes) * 8 / bits_per_key;
  return MostWithout(ToUnits(guess), [&](uint64_t num_keys) {
    return FilterBytes(format, num_keys, bits_per_key) > filter_bytes;
  });
}

std::string ValidateNumProbes(int num_probes) {
  if (core::ProbesInRange(num_probes)) return "";
  core::ErrorText error;
  error << "number of probes is " << num_probes << "; allowed: " << kMinProbes << " to "
        << kMaxProbes;
  return error.str();
}

std::string ValidateFalsePositiveRate(Format format, double rate) {
  core::ErrorText error;
  const double max_bits_per_key = AllowedBitsPerKey(format).max;
  const double least = FalsePositiveRate(format, max_bits_per_key);
  if (!IsRate(rate)) {
    error << "false-positive rate is " << rate << "; allowed: more than 0 and less than 1";
  } else if (rate < least) {
    error << "false-positive rate is " << rate << "; allowed in " << FormatName(format)
          << " filters: from " << least << ", which takes " << max_bits_per_key
          << " bits per key, to less than 1";
  }
  return error.str();
}

}  // namespace bloomline
