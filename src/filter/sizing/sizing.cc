#include "bloomline/sizing.h"

#include <algorithm>
#include <cstdint>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/trailer.h"
#include "src/filter/options/formats.h"
#include "src/filter/rates/rates.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "src/filter/sizing/stock_files.h"
#include "src/filter/stock/stock_size.h"
#include "src/filter/table/layout_table.h"
#include "src/support/bisection.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using filter::IsRate;
using filter::kNotANumber;
using filter::kPrecision;
using filter::LeastBitsPerKey;

using filter::FilterShape;
using filter::kKeysOfStockFile;

// LevelDB has a filter for each 2 KiB of data: some 36 keys with values of 40 bytes. Small sets are
// sized for such filters.
constexpr uint64_t kKeysOfSmallSet = 36;

// The rate of a Ribbon filter depends little on the number of keys: 10 bits per key give 0.12 % at
// 5,000, 0.14 % at this number, and 0.17 % at 900 million.
constexpr uint64_t kTypicalKeys = 1000000;

// The memory of small sets of at most kKeysOfSmallSet keys, each with its code.
uint64_t SmallSetBytes(uint64_t num_keys, double bits_per_key) {
  const auto bytes_of = [=](uint64_t keys) {
    return filter::LevelDBShape(Format::kCompact, keys, bits_per_key).payload_bytes() + 1;
  };
  const uint64_t sets = num_keys / kKeysOfSmallSet;
  const uint64_t rest = num_keys % kKeysOfSmallSet;
  if (sets == 0) return bytes_of(rest);
  const uint64_t of_set = bytes_of(kKeysOfSmallSet);
  if (sets > 2 * support::kMaxBytes / of_set) return 2 * support::kMaxBytes;
  return sets * of_set + (rest == 0 ? 0 : bytes_of(rest));
}

// A filter in the container that FilterBytes means: LevelDB's, a file of RocksDB, or on its own.
FilterShape ShapeOf(Format format, uint64_t num_keys, double bits_per_key) {
  const filter::FormatRow& row = filter::RowOf(format);
  if (row.is_static) {
    return filter::StandaloneShape(format, {num_keys, bits_per_key, filter::kTrailerBytes});
  }
  if (row.in_leveldb) return filter::LevelDBShape(format, num_keys, bits_per_key);
  return filter::SSTableShape(format, {num_keys, bits_per_key});
}

// The most keys of one filter, or 0 for any number.
uint64_t KeysOfFilter(Format format) {
  if (format == Format::kCompact) return kKeysOfSmallSet;
  return filter::RowOf(format).is_static || format == Format::kClassic ? 0 : kKeysOfStockFile;
}

}  // namespace

double FalsePositiveRate(Format format, double bits_per_key) {
  const double c = filter::ClampBitsPerKey(bits_per_key, AllowedBitsPerKey(format));
  switch (format) {
    case Format::kClassic:
      return StandardFalsePositiveRate(c, OptimalNumProbes(format, c));
    case Format::kCompact:
      return FalsePositiveRateWithKeys(format, c, kKeysOfSmallSet, kKeysOfSmallSet);
    case Format::kRibbon:
      return stock::RibbonRateOfMemory(c, kTypicalKeys);
    default:
      return BlockedFalsePositiveRate(c, OptimalNumProbes(format, c));
  }
}

double FalsePositiveRateWithKeys(Format format, double bits_per_key, uint64_t capacity,
                                 uint64_t num_keys) {
  if (!filter::IsAllowed(format, bits_per_key)) return kNotANumber;
  if (num_keys == 0) return 0;
  if (capacity == 0) return 1;
  const uint64_t most_keys = KeysOfFilter(format);
  if (most_keys != 0 && capacity > most_keys) {
    const double share = static_cast<double>(most_keys) / static_cast<double>(capacity);
    num_keys = static_cast<uint64_t>(static_cast<double>(num_keys) * share);
    capacity = most_keys;
  }
  return filter::ExactShapeRate(ShapeOf(format, capacity, bits_per_key), num_keys);
}

double BitsPerKeyForFilterBytes(Format format, uint64_t num_keys, uint64_t filter_bytes) {
  const auto [low, high] = AllowedBitsPerKey(format);
  const auto fits = [&](double bits_per_key) {
    return FilterBytes(format, num_keys, bits_per_key) <= filter_bytes;
  };
  if (num_keys == 0 || filter_bytes > support::kMaxBytes || !fits(low)) return kNotANumber;
  if (fits(high)) return high;
  return support::Bisect(low, high, fits).holds;
}

uint64_t Capacity(Format format, uint64_t filter_bytes, double bits_per_key) {
  if (!filter::IsAllowed(format, bits_per_key) || filter_bytes > support::kMaxBytes) return 0;
  const auto fits = [&](uint64_t num_keys) {
    return FilterBytes(format, num_keys, bits_per_key) <= filter_bytes;
  };
  return support::Bisect(uint64_t{0}, 4 * support::kMaxBytes + 1, fits).holds;
}

double BitsPerKeyForFalsePositiveRate(Format format, double rate) {
  if (!filter::IsKnown(format) || !IsRate(rate)) return kNotANumber;
  const auto [low, high] = AllowedBitsPerKey(format);
  return LeastBitsPerKey(low, high, kPrecision, [=](double bits_per_key) {
    return FalsePositiveRate(format, bits_per_key) <= rate;
  });
}

int OptimalNumProbes(Format format, double bits_per_key) {
  const double c = filter::ClampBitsPerKey(bits_per_key);
  const auto num_probes = filter::LayoutRowFor(format).num_probes;
  return num_probes == nullptr ? 0 : num_probes(c);
}

uint64_t FilterBytes(Format format, uint64_t num_keys, double bits_per_key) {
  if (!filter::IsAllowed(format, bits_per_key)) return 0;
  if (format == Format::kCompact) return SmallSetBytes(num_keys, bits_per_key);
  if (KeysOfFilter(format) != 0) return filter::StockFileBytes(format, num_keys, bits_per_key);
  const FilterShape shape = ShapeOf(format, num_keys, bits_per_key);
  constexpr uint64_t kCodeBytes = 1;  // in LevelDB
  const bool is_static = filter::RowOf(format).is_static;
  return shape.payload_bytes() + (is_static ? filter::EndBytes(shape) : kCodeBytes);
}

std::string ValidateFalsePositiveRate(Format format, double rate) {
  if (!filter::IsKnown(format)) return FilterOptions{format}.Validate();
  const double max_bits_per_key = AllowedBitsPerKey(format).max;
  const double least = FalsePositiveRate(format, max_bits_per_key);
  if (!IsRate(rate)) {
    return support::StrCat("false-positive rate is ", rate,
                           "; allowed: more than 0 and less than 1");
  }
  if (rate < least) {
    return support::StrCat("false-positive rate is ", rate, "; allowed in ", FormatName(format),
                           " filters: from ", filter::RoundedUp(least), ", which takes ",
                           max_bits_per_key, " bits per key, to less than 1");
  }
  return {};
}

FilterOptions FilterOptions::ForFalsePositiveRate(Format format, double rate) {
  return {format, BitsPerKeyForFalsePositiveRate(format, rate)};
}

}  // namespace bloomline
