#include "src/sets/bloom_shape.h"

#include <cmath>
#include <iterator>
#include <string_view>

#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/rates/rates.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace sets {
namespace {

using kernels::kBlockBits;
using support::StrCat;

double BitsPerKey(BloomLayout layout, double rate) {
  if (layout == BloomLayout::kBlocked)
    return BitsPerKeyForFalsePositiveRate(Format::kBlocked, rate);
  if (layout == BloomLayout::kStandard) return StandardBitsPerKeyForFalsePositiveRate(rate);
  return BlockedBitsPerKeyForFalsePositiveRate(rate, BlockBits(layout));
}

int BestNumProbes(BloomLayout layout, double bits_per_key) {
  if (layout == BloomLayout::kBlocked) return OptimalNumProbes(Format::kBlocked, bits_per_key);
  if (layout == BloomLayout::kStandard) return OptimalStandardNumProbes(bits_per_key);
  return OptimalBlockedNumProbes(bits_per_key, BlockBits(layout));
}

// The least false-positive rate of the layout, at kMaxBitsPerKey; rounded up to two digits.
double LeastRate(BloomLayout layout) {
  const int num_probes = BestNumProbes(layout, kMaxBitsPerKey);
  return filter::RoundedUp(
      layout == BloomLayout::kStandard
          ? StandardFalsePositiveRate(kMaxBitsPerKey, num_probes)
          : BlockedFalsePositiveRate(kMaxBitsPerKey, num_probes, BlockBits(layout)));
}

// The name is the same in all languages, like FormatName. Null if there is no such layout.
const char* Name(BloomLayout layout) {
  constexpr const char* kNames[] = {"blocked", "standard", "blocked128", "blocked64"};
  const auto number = static_cast<size_t>(layout);
  return number < std::size(kNames) ? kNames[number] : nullptr;
}

bool IsCounters(std::string_view unit) { return unit == "counters"; }

// The name in errors: "layout blocked", or "4-bit counters" if the unit is counters.
std::string NameIn(BloomLayout layout, std::string_view unit) {
  if (!IsCounters(unit)) return std::string("layout ") + Name(layout);
  return CounterBits(layout) == 4 ? "4-bit counters" : "8-bit counters";
}

std::string ShapeByBits(const BloomFilterOptions& options, const char* unit, BloomShape* shape) {
  if (options.num_bits > kMaxBloomBits) {
    return StrCat("num_", unit, " is ", options.num_bits, "; allowed: 1 to ", kMaxBloomBits,
                  ", or 0 for a size from capacity and false_positive_rate");
  }
  if (options.num_probes < kMinProbes || options.num_probes > kMaxProbes) {
    return StrCat("num_probes is ", options.num_probes, " beside num_", unit, " ", options.num_bits,
                  "; allowed: ", kMinProbes, " to ", kMaxProbes);
  }
  shape->num_probes = options.num_probes;
  shape->num_lines = (options.num_bits + kBlockBits - 1) / kBlockBits;
  return "";
}

std::string ShapeByCapacity(const BloomFilterOptions& options, const char* unit,
                            BloomShape* shape) {
  const double rate = options.false_positive_rate;
  if (options.num_probes != 0) {
    return StrCat("num_probes is ", options.num_probes, " without num_", unit,
                  "; allowed: 0, or num_", unit, " of 1 and more");
  }
  if (options.capacity == 0) {
    return StrCat("capacity is 0; allowed: 1 and more, or num_", unit, " of 1 and more");
  }
  const double bits_per_key = BitsPerKey(options.layout, rate);
  if (std::isnan(bits_per_key)) {
    return StrCat("false_positive_rate is ", rate, "; allowed with ", NameIn(options.layout, unit),
                  ": from ", LeastRate(options.layout), ", which takes ", kMaxBitsPerKey, " ", unit,
                  " per key, to below 1");
  }
  const double lines =
      std::ceil(static_cast<double>(options.capacity) * bits_per_key / double{kBlockBits});
  if (lines > double{kMaxBloomBits / kBlockBits}) {
    return StrCat("capacity is ", options.capacity, ", which takes ", bits_per_key, " ", unit,
                  " per key at false_positive_rate ", rate, "; allowed: ", kMaxBloomBits, " ", unit,
                  " in all");
  }
  shape->num_lines = static_cast<uint64_t>(lines);
  shape->num_probes = BestNumProbes(options.layout, bits_per_key);
  return "";
}

template <typename T>
std::string Differs(const char* what, const char* unit, T mine, T other) {
  return StrCat(what, unit, " is ", mine, " in this filter and ", other, " in the other one");
}

}  // namespace

bool IsLayout(int layout) { return Name(static_cast<BloomLayout>(layout)) != nullptr; }

std::string ShapeOf(const BloomFilterOptions& options, BloomShape* shape, const char* unit) {
  const int layout = static_cast<int>(options.layout);
  if (!IsLayout(layout)) {
    return StrCat("layout is ", layout, "; ", kAllowedLayouts);
  }
  shape->layout = options.layout;
  shape->seed = options.seed;
  return options.num_bits != 0 ? ShapeByBits(options, unit, shape)
                               : ShapeByCapacity(options, unit, shape);
}

std::string Difference(const BloomShape& mine, const BloomShape& other, const char* unit) {
  if (mine.layout != other.layout) {
    return IsCounters(unit)
               ? Differs("counter_bits", "", CounterBits(mine.layout), CounterBits(other.layout))
               : Differs("layout", "", Name(mine.layout), Name(other.layout));
  }
  if (mine.num_lines != other.num_lines) {
    return Differs("num_", unit, mine.num_lines * kBlockBits, other.num_lines * kBlockBits);
  }
  if (mine.num_probes != other.num_probes) {
    return Differs("num_probes", "", mine.num_probes, other.num_probes);
  }
  if (mine.seed != other.seed) return Differs("seed", "", mine.seed, other.seed);
  return "";
}

}  // namespace sets

std::string BloomFilterOptions::Validate() const {
  sets::BloomShape shape;
  return sets::ShapeOf(*this, &shape);
}

}  // namespace bloomline
