#include "src/in_memory/bloom_shape.h"

#include <cmath>

#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "src/filter/kernels/probe_sequence.h"
#include "src/filter/sizing/reachable_rate.h"
#include "src/support/error_text.h"

namespace bloomline {
namespace in_memory {
namespace {

using kernels::kBlockBits;
using support::ErrorText;

double BitsPerKey(BloomLayout layout, double rate) {
  switch (layout) {
    case BloomLayout::kBlocked:
      return BitsPerKeyForFalsePositiveRate(Format::kBlocked, rate);
    case BloomLayout::kStandard:
      return StandardBitsPerKeyForFalsePositiveRate(rate);
    case BloomLayout::kBlocked128:
    case BloomLayout::kBlocked64:
      break;
  }
  return SmallBlockBitsPerKeyForFalsePositiveRate(BlockBits(layout), rate);
}

int BestNumProbes(BloomLayout layout, double bits_per_key) {
  switch (layout) {
    case BloomLayout::kBlocked:
      return OptimalNumProbes(Format::kBlocked, bits_per_key);
    case BloomLayout::kStandard:
      return OptimalStandardNumProbes(bits_per_key);
    case BloomLayout::kBlocked128:
    case BloomLayout::kBlocked64:
      break;
  }
  return OptimalSmallBlockNumProbes(BlockBits(layout), bits_per_key);
}

support::ErrorText ShapeByBits(const BloomFilterOptions& options, const char* unit,
                               BloomShape* shape) {
  support::ErrorText error;
  if (options.num_bits > kMaxBloomBits) {
    error << "num_" << unit << " is " << options.num_bits << "; allowed: 1 to " << kMaxBloomBits
          << ", or 0 for a size from capacity and false_positive_rate";
  } else if (options.num_probes < kMinProbes || options.num_probes > kMaxProbes) {
    error << "num_probes is " << options.num_probes << " beside num_" << unit << " "
          << options.num_bits << "; allowed: " << kMinProbes << " to " << kMaxProbes;
  } else {
    shape->num_probes = options.num_probes;
    shape->num_lines = (options.num_bits + kBlockBits - 1) / kBlockBits;
  }
  return error;
}

support::ErrorText ShapeByCapacity(const BloomFilterOptions& options, const char* unit,
                                   BloomShape* shape) {
  support::ErrorText error;
  const double rate = options.false_positive_rate;
  if (options.num_probes != 0) {
    error << "num_probes is " << options.num_probes << " without num_" << unit
          << "; allowed: 0, or num_" << unit << " of 1 and more";
    return error;
  }
  if (options.capacity == 0) {
    error << "capacity is 0; allowed: 1 and more, or num_" << unit << " of 1 and more";
    return error;
  }
  const double bits_per_key = BitsPerKey(options.layout, rate);
  if (std::isnan(bits_per_key)) {
    error << "false_positive_rate is " << rate << "; allowed with " << NameIn(options.layout, unit)
          << ": from " << LeastRate(options.layout) << ", which takes " << kMaxBitsPerKey << " "
          << unit << " per key, to below 1";
    return error;
  }
  const double lines =
      std::ceil(static_cast<double>(options.capacity) * bits_per_key / double{kBlockBits});
  if (lines > double{kMaxBloomBits / kBlockBits}) {
    error << "capacity is " << options.capacity << ", which takes " << bits_per_key << " " << unit
          << " per key at false_positive_rate " << rate << "; allowed: " << kMaxBloomBits << " "
          << unit << " in all";
    return error;
  }
  shape->num_lines = static_cast<uint64_t>(lines);
  shape->num_probes = BestNumProbes(options.layout, bits_per_key);
  return error;
}

// Null: no layout.
const char* Name(BloomLayout layout) {
  switch (layout) {
    case BloomLayout::kBlocked:
      return "kBlocked";
    case BloomLayout::kStandard:
      return "kStandard";
    case BloomLayout::kBlocked128:
      return "kBlocked128";
    case BloomLayout::kBlocked64:
      return "kBlocked64";
  }
  return nullptr;
}

template <typename T>
support::ErrorText Differs(const char* what, const char* unit, T mine, T other) {
  support::ErrorText text;
  text << what << unit << " is " << mine << " in this filter and " << other << " in the other one";
  return text;
}

}  // namespace

double LeastRate(BloomLayout layout) {
  const int num_probes = BestNumProbes(layout, kMaxBitsPerKey);
  switch (layout) {
    case BloomLayout::kBlocked:
      return filter::RoundedUp(BlockedFalsePositiveRate(kMaxBitsPerKey, num_probes));
    case BloomLayout::kStandard:
      return filter::RoundedUp(StandardFalsePositiveRate(kMaxBitsPerKey, num_probes));
    case BloomLayout::kBlocked128:
    case BloomLayout::kBlocked64:
      break;
  }
  return filter::RoundedUp(
      SmallBlockFalsePositiveRate(BlockBits(layout), kMaxBitsPerKey, num_probes));
}

bool IsReachable(BloomLayout layout, double rate) { return !std::isnan(BitsPerKey(layout, rate)); }

const char* NameIn(BloomLayout layout, std::string_view unit) {
  if (unit != "counters") return Name(layout);
  return CounterBits(layout) == 4 ? "4-bit counters" : "8-bit counters";
}

bool IsLayout(int layout) { return Name(static_cast<BloomLayout>(layout)) != nullptr; }

support::ErrorText ShapeOf(const BloomFilterOptions& options, BloomShape* shape, const char* unit) {
  const int layout = static_cast<int>(options.layout);
  if (!IsLayout(layout)) {
    support::ErrorText error;
    error << "layout is " << layout << "; " << kAllowedLayouts;
    return error;
  }
  shape->layout = options.layout;
  shape->seed = options.seed;
  return options.num_bits != 0 ? ShapeByBits(options, unit, shape)
                               : ShapeByCapacity(options, unit, shape);
}

support::ErrorText Difference(const BloomShape& mine, const BloomShape& other, const char* unit) {
  if (mine.layout != other.layout) {
    return Differs("layout", "", Name(mine.layout), Name(other.layout));
  }
  if (mine.num_lines != other.num_lines) {
    return Differs("num_", unit, mine.num_lines * kBlockBits, other.num_lines * kBlockBits);
  }
  if (mine.num_probes != other.num_probes) {
    return Differs("num_probes", "", mine.num_probes, other.num_probes);
  }
  if (mine.seed != other.seed) return Differs("seed", "", mine.seed, other.seed);
  return {};
}

}  // namespace in_memory

std::string BloomFilterOptions::Validate() const {
  in_memory::BloomShape shape;
  return in_memory::ShapeOf(*this, &shape).str();
}

}  // namespace bloomline
