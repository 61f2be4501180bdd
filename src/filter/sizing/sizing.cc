#include "bloomline/sizing.h"

#include <algorithm>
#include <cstdint>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/trailer.h"
#include "src/filter/options/formats.h"
#include "src/filter/rates/rates.h"
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

// A filter in the container that FilterBytes means: LevelDB's, a file of RocksDB, or on its own.
filter::FilterShape ShapeOf(Format format, uint64_t num_keys, double bits_per_key) {
  const filter::ShapeRequest request = {num_keys, bits_per_key, filter::kTrailerBytes};
  const filter::LayoutRow& row = filter::LayoutRowFor(format);
  if (row.shape != nullptr) return filter::StandaloneShape(format, request);
  if (row.leveldb_shape != nullptr) return row.leveldb_shape({num_keys, bits_per_key});
  return filter::TableShape(format, request);
}

uint64_t BytesOf(Format format, uint64_t num_keys, double bits_per_key) {
  const filter::LayoutRow& row = filter::LayoutRowFor(format);
  uint64_t end_bytes = 1;  // the code in LevelDB
  if (row.write_end != nullptr) end_bytes = stock::kTrailerBytes;
  if (row.trailer_shape != nullptr) end_bytes = filter::kTrailerBytes;
  return ShapeOf(format, num_keys, bits_per_key).payload_bytes() + end_bytes;
}

uint64_t StockBytes(Format format, uint64_t num_keys, double bits_per_key) {
  const uint64_t files = num_keys / kKeysOfStockFile;
  const uint64_t rest = num_keys % kKeysOfStockFile;
  if (files == 0) return BytesOf(format, rest, bits_per_key);
  const uint64_t of_file = BytesOf(format, kKeysOfStockFile, bits_per_key);
  if (files > 2 * support::kMaxBytes / of_file) return 2 * support::kMaxBytes;
  return files * of_file + (rest == 0 ? 0 : BytesOf(format, rest, bits_per_key));
}

}  // namespace

double FalsePositiveRate(Format format, double bits_per_key) {
  if (format == Format::kCompact) return filter::CompactFalsePositiveRate(bits_per_key);
  const double c = filter::ClampBitsPerKey(bits_per_key);
  if (!filter::RowOf(format).bits_are_memory) return stock::RibbonRate(c);
  const int k = OptimalNumProbes(format, c);
  return format == Format::kClassic ? StandardFalsePositiveRate(c, k)
                                    : BlockedFalsePositiveRate(c, k);
}

double FalsePositiveRateWithKeys(Format format, double bits_per_key, uint64_t capacity,
                                 uint64_t num_keys) {
  if (!filter::IsAllowed(format, bits_per_key)) return kNotANumber;
  if (num_keys == 0) return 0;
  if (capacity == 0) return 1;
  if (!filter::RowOf(format).bits_are_memory) {
    return stock::RibbonRate(bits_per_key);  // of any size
  }
  if (filter::IsStock(format) && capacity > kKeysOfStockFile) {
    const double share = static_cast<double>(kKeysOfStockFile) / static_cast<double>(capacity);
    num_keys = static_cast<uint64_t>(static_cast<double>(num_keys) * share);
    capacity = kKeysOfStockFile;
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
  const double precision = format == Format::kCompact ? kCoarsePrecision : kPrecision;
  return LeastBitsPerKey(low, high, precision, [=](double bits_per_key) {
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
  return filter::IsStock(format) ? StockBytes(format, num_keys, bits_per_key)
                                 : BytesOf(format, num_keys, bits_per_key);
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
