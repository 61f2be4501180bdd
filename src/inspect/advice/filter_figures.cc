#include <algorithm>
#include <cmath>

#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "src/filter/format/layout.h"
#include "src/filter/format/leveldb_codes.h"
#include "src/filter/format/num_probes.h"
#include "src/filter/format/shapes.h"
#include "src/filter/format/trailer.h"
#include "src/filter/sizing/small_set_rate.h"
#include "src/inspect/advice/division.h"

namespace bloomline::advice {
namespace {

using filter::FilterShape;
using filter::Layout;

// From here on, trailers and whole blocks cost less than 0.1 %.
constexpr uint64_t kLarge = 100000;

// From the distribution of the bits set while that takes microseconds, else from their mean and
// variance, which is as good in filters of ten keys or more.
double FlatRate(uint64_t num_keys, uint64_t num_bits, int k) {
  constexpr double kFewThrows = 250;
  const double throws = static_cast<double>(num_keys) * k;
  if (throws <= kFewThrows) return ExactStandardFalsePositiveRate(num_keys, num_bits, k);
  const double bits = static_cast<double>(num_bits);
  const double empty = std::exp(throws * std::log1p(-1 / bits));
  const double pair_empty = std::exp(throws * std::log1p(-2 / bits));
  const double full = 1 - empty;
  const double variance = (empty + (bits - 1) * pair_empty) / bits - empty * empty;
  return std::pow(full, k) * (1 + 0.5 * k * (k - 1) * variance / (full * full));
}

// As the LevelDB policy chooses (src/engines/leveldb/filter_policy.cc).
FilterShape LevelDBShape(Format format, uint64_t num_keys, double bits_per_key) {
  if (format == Format::kCompact && filter::IsSmallSetBetter(num_keys, bits_per_key)) {
    const FilterShape compact = filter::SmallSetCompactShape(num_keys, bits_per_key);
    if (compact.layout == Layout::kSmallSet) return compact;
  }
  return filter::SmallSetShape(num_keys, bits_per_key, OptimalStandardNumProbes(bits_per_key),
                               OptimalNumProbes(Format::kBlocked, bits_per_key));
}

double RateOf(const FilterShape& shape, uint64_t num_keys) {
  switch (shape.layout) {
    case Layout::kFlat:
      return FlatRate(num_keys, 8 * shape.payload_bytes(), shape.num_probes);
    case Layout::kBlocked:
      return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, shape.num_probes);
    case Layout::kCompact:
      return ExactCompactFalsePositiveRate(num_keys, shape.num_blocks, shape.block_bytes);
    case Layout::kSmallSet:
      return ExactSmallSetFalsePositiveRate(num_keys, shape.num_blocks, shape.block_bytes);
    case Layout::kClassic:
    case Layout::kAlwaysMatch:
      break;
  }
  return 1;
}

}  // namespace

FilterFigures FiguresOf(sstable::Engine engine, Format format, uint64_t num_keys,
                        double bits_per_key) {
  if (bits_per_key == 0) return {};
  if (num_keys >= kLarge) return {bits_per_key / 8, FalsePositiveRate(format, bits_per_key)};
  const bool is_rocksdb = engine == sstable::Engine::kRocksDB;
  const FilterShape shape =
      is_rocksdb ? filter::TableShape(format, num_keys, bits_per_key,
                                      OptimalNumProbes(format, bits_per_key), UINT64_MAX)
                 : LevelDBShape(format, num_keys, bits_per_key);
  constexpr uint64_t kCodeBytes = 1;  // LevelDB's
  const uint64_t bytes = shape.payload_bytes() + (is_rocksdb ? filter::kTrailerBytes : kCodeBytes);
  return {static_cast<double>(bytes) / static_cast<double>(num_keys), RateOf(shape, num_keys)};
}

FilterFigures MeanFiguresOf(sstable::Engine engine, Format format, uint64_t num_keys,
                            double bits_per_key) {
  constexpr uint64_t kManyBlocks = 5000;  // a block is less than 1 % of a filter at 10 bits per key
  constexpr double kBlockBits = 512;
  if (engine == sstable::Engine::kLevelDB || bits_per_key == 0 || num_keys >= kManyBlocks) {
    return FiguresOf(engine, format, num_keys, bits_per_key);
  }
  // Sizes that differ by a block from the smallest to the largest.
  constexpr int kSizes = 8;
  FilterFigures mean{0, 0};
  double all_keys = 0;
  for (int i = 0; i < kSizes; ++i) {
    const double offset = ((i + 0.5) / kSizes - 0.5) * kBlockBits / bits_per_key;
    const double keys = std::max(1.0, std::round(static_cast<double>(num_keys) + offset));
    const FilterFigures figures =
        FiguresOf(engine, format, static_cast<uint64_t>(keys), bits_per_key);
    mean.bytes_per_key += figures.bytes_per_key * keys;
    mean.rate += figures.rate / kSizes;
    all_keys += keys;
  }
  mean.bytes_per_key /= all_keys;
  return mean;
}

}  // namespace bloomline::advice
