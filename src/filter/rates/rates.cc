#include "src/filter/rates/rates.h"

#include "bloomline/filter_theory.h"
#include "src/filter/rates/least_bits.h"

namespace bloomline::filter {

double RateOf(const FilterShape& shape, double bits_per_key) {
  switch (shape.layout) {
    case Layout::kBlocked:
      return BlockedFalsePositiveRate(bits_per_key, shape.num_probes);
    case Layout::kFlat:
      return StandardFalsePositiveRate(bits_per_key, shape.num_probes);
    case Layout::kCompact:
      return CompactFalsePositiveRate(bits_per_key);
    default:
      return kNone;
  }
}

double ExactRateOf(const FilterShape& shape, uint64_t num_keys) {
  switch (shape.layout) {
    case Layout::kBlocked:
      return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, shape.num_probes);
    case Layout::kFlat:
      return ExactStandardFalsePositiveRate(num_keys, 8 * shape.payload_bytes(), shape.num_probes);
    case Layout::kCompact:
      return ExactCompactFalsePositiveRate(num_keys, shape.num_blocks, shape.block_bytes);
    case Layout::kSmallSet:
      return ExactSmallSetFalsePositiveRate(num_keys, shape.num_blocks, shape.block_bytes);
    default:
      return kNone;
  }
}

}  // namespace bloomline::filter
