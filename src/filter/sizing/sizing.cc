#include "bloomline/sizing.h"

#include <algorithm>
#include <cstdint>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/trailer.h"
#include "src/filter/options/formats.h"
#include "src/filter/rates/rates.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/stock/stock_size.h"
#include "src/filter/table/layout_table.h"
#include "src/support/bisection.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using filter::IsRate;
using filter::kCoarsePrecision;
using filter::kNotANumber;
using filter::kPrecision;
using filter::LeastBitsPerKey;

// RocksDB has a filter for each file, of at most 4 GiB. More keys than these lie in several files.
constexpr uint64_t kKeysOfStockFile = 1000000;

uint64_t StockFilterBytes(Format format, uint64_t num_keys, double bits_per_key) {
  constexpr uint32_t kMeanChance = UINT32_MAX / 2;
  const uint64_t payload =
      format == Format::kRibbon
          ? stock::RibbonSizeOf(num_keys, bits_per_key, kMeanChance).payload_bytes
          : stock::BloomPayloadBytes(num_keys, stock::Millibits(bits_per_key));
  return payload + stock::kTrailerBytes;
}

uint64_t StockBytes(Format format, uint64_t num_keys, double bits_per_key) {
  const uint64_t files = num_keys / kKeysOfStockFile;
  const uint64_t rest = num_keys % kKeysOfStockFile;
  if (files == 0) return StockFilterBytes(format, rest, bits_per_key);
  const uint64_t of_file = StockFilterBytes(format, kKeysOfStockFile, bits_per_key);
  if (files > 2 * support::kMaxBytes / of_file) return 2 * support::kMaxBytes;
  return files * of_file + (rest == 0 ? 0 : StockFilterBytes(format, rest, bits_per_key));
}

double StockBloomRate(double bits_per_key, uint64_t capacity, uint64_t num_keys) {
  uint64_t of_file = capacity;
  double keys = static_cast<double>(num_keys);
  if (capacity > kKeysOfStockFile) {
    of_file = kKeysOfStockFile;
    keys *= static_cast<double>(of_file) / static_cast<double>(capacity);
  }
  const int millibits = stock::Millibits(bits_per_key);
  const uint64_t num_blocks = stock::BloomPayloadBytes(of_file, millibits) / kernels::kBlockBytes;
  return ExactBlockedFalsePositiveRate(static_cast<uint64_t>(keys), num_blocks,
                                       stock::BloomNumProbes(millibits));
}

}  // namespace

double FalsePositiveRate(Format format, double bits_per_key) {
  if (format == Format::kCompact) return filter::CompactFalsePositiveRate(bits_per_key);
  const double c = filter::ClampBitsPerKey(bits_per_key);
  if (format == Format::kRibbon) return stock::RibbonRate(c);
  const int k = OptimalNumProbes(format, c);
  return format == Format::kClassic ? StandardFalsePositiveRate(c, k)
                                    : BlockedFalsePositiveRate(c, k);
}

double FalsePositiveRateWithKeys(Format format, double bits_per_key, uint64_t capacity,
                                 uint64_t num_keys) {
  if (!filter::IsAllowed(format, bits_per_key)) return kNotANumber;
  if (num_keys == 0) return 0;
  if (capacity == 0) return 1;
  if (format == Format::kRibbon) return stock::RibbonRate(bits_per_key);
  if (format == Format::kBloom) return StockBloomRate(bits_per_key, capacity, num_keys);
  if (format == Format::kClassic) {
    // LevelDB's positions have 32 bits, as its hash has.
    const filter::FilterShape shape = filter::kClassicRow.leveldb_shape({capacity, bits_per_key});
    const uint64_t num_bits = std::min(8 * shape.payload_bytes(), uint64_t{1} << 32);
    const int num_probes = OptimalNumProbes(format, bits_per_key);
    return filter::WithEqualHashes(ExactStandardFalsePositiveRate(num_keys, num_bits, num_probes),
                                   num_keys);
  }
  const filter::FilterShape shape =
      filter::StandaloneShape(format, {capacity, bits_per_key, filter::kTrailerBytes});
  return filter::ExactShapeRate(shape, num_keys);
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
  const double precision = format == Format::kCompact ? kCoarsePrecision : kPrecision;
  return LeastBitsPerKey(low, high, precision, [=](double bits_per_key) {
    return FalsePositiveRate(format, bits_per_key) <= rate;
  });
}

int OptimalNumProbes(Format format, double bits_per_key) {
  const double c = filter::ClampBitsPerKey(bits_per_key);
  if (format == Format::kCompact || format == Format::kRibbon) return 0;
  if (format == Format::kBloom) return stock::BloomNumProbes(stock::Millibits(c));
  return (format == Format::kClassic ? filter::kClassicRow : filter::kBlockedRow).num_probes(c);
}

uint64_t FilterBytes(Format format, uint64_t num_keys, double bits_per_key) {
  if (!filter::IsAllowed(format, bits_per_key)) return 0;
  if (format == Format::kClassic) {
    constexpr uint64_t kCodeBytes = 1;
    return filter::kClassicRow.leveldb_shape({num_keys, bits_per_key}).payload_bytes() + kCodeBytes;
  }
  if (filter::IsStock(format)) return StockBytes(format, num_keys, bits_per_key);
  const filter::FilterShape shape =
      filter::StandaloneShape(format, {num_keys, bits_per_key, filter::kTrailerBytes});
  return shape.payload_bytes() + filter::kTrailerBytes;
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
