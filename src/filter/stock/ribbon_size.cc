#include "src/filter/stock/ribbon_size.h"

#include <cmath>

#include "src/filter/stock/stock_size.h"

namespace bloomline::stock {
namespace {

constexpr uint32_t kBlockRows = RibbonShape::kRowsPerBlock;

// With more keys, RocksDB writes a Bloom filter.
constexpr uint64_t kMaxKeys = 950000000;

// With fewer rows, RocksDB writes a Bloom filter if that is smaller.
constexpr uint32_t kManyRows = 1024;

// Keys for which one seed of twenty fails in 2^8 to 2^17 rows. With fewer rows, RocksDB writes a
// Bloom filter; beyond the table, a formula continues it.
constexpr uint32_t kMinLog2Rows = 8;
constexpr double kKeysForRows[] = {248.851, 499.532, 1001.26, 2003.97, 4005.59,
                                   8000.39, 15966.6, 31828.1, 63447.3, 126506.0};
constexpr uint32_t kMaxLog2Rows = 17;
constexpr double kFactorPerLog2 = 0.0038;

double KeysForRows(uint32_t log2_rows) {
  if (log2_rows < kMinLog2Rows) return 0;
  if (log2_rows <= kMaxLog2Rows) return kKeysForRows[log2_rows - kMinLog2Rows];
  const double base_factor =
      1.0 * (uint32_t{1} << kMaxLog2Rows) / kKeysForRows[kMaxLog2Rows - kMinLog2Rows] -
      kMaxLog2Rows * kFactorPerLog2;
  return 1.0 * static_cast<double>(uint64_t{1} << log2_rows) /
         (base_factor + 1.0 * log2_rows * kFactorPerLog2);
}

uint32_t UnroundedRows(uint32_t num_keys) {
  constexpr uint32_t kMinRows = 2 * kBlockRows;
  auto log2_rows = static_cast<uint32_t>(std::log(num_keys) * 1.4426950409 + 0.5);
  double lower = KeysForRows(log2_rows);
  if (log2_rows == 0 || lower == 0) return kMinRows;
  double upper = lower;
  if (num_keys < lower) {
    --log2_rows;
    lower = KeysForRows(log2_rows);
  } else {
    upper = KeysForRows(log2_rows + 1);
  }
  const double lower_rows = 1.0 * static_cast<double>(uint64_t{1} << log2_rows);
  const double portion = (num_keys - lower) / (upper - lower);
  return static_cast<uint32_t>(portion * lower_rows + lower_rows + 0.999999999);
}

uint32_t RowsFor(uint32_t num_keys) {
  const uint32_t rows = (UnroundedRows(num_keys) + kBlockRows - 1) / kBlockRows;
  // The format has no filter of one block.
  return (rows == 1 ? 2 : rows) * kBlockRows;
}

// For a false-positive rate of 1 / one_in.
uint64_t BytesFor(uint32_t num_rows, double one_in, uint32_t chance) {
  const double rate = 1.0 / one_in;
  if (!(one_in > 1.0 && rate < 1.0)) return RibbonShape::kSegmentBytes;
  if (!(one_in <= UINT32_MAX)) return uint64_t{num_rows} * 4;
  const int lower_columns = 31 - __builtin_clz(static_cast<uint32_t>(one_in));
  const double lower_rate = std::pow(2.0, -lower_columns);
  const double upper_rate = std::pow(2.0, -(lower_columns + 1));
  const double lower_portion = (rate - upper_rate) / (lower_rate - upper_rate);
  const double rounding = (chance + 0.5) / double{0x100000000};
  const uint32_t num_starts = num_rows - kBlockRows + 1;
  const auto lower_blocks =
      static_cast<uint32_t>((lower_portion * num_starts + rounding) / kBlockRows);
  const uint64_t num_blocks = num_rows / kBlockRows;
  const uint64_t segments = num_blocks * static_cast<uint32_t>(lower_columns + 1) - lower_blocks;
  return segments * RibbonShape::kSegmentBytes;
}

}  // namespace

RibbonSize RibbonSizeOf(uint64_t num_keys, double bits_per_key, uint32_t chance) {
  const int millibits = Millibits(bits_per_key);
  const RibbonSize bloom = {0, BloomPayloadBytes(num_keys, millibits)};
  if (num_keys == 0 || num_keys > kMaxKeys) return bloom;
  const double one_in = 1.0 / ExpectedBloomRate(bits_per_key, BloomNumProbes(millibits));
  const uint32_t num_rows = RowsFor(static_cast<uint32_t>(num_keys));
  const uint64_t bytes = BytesFor(num_rows, one_in, chance);
  if (num_rows < kManyRows && bloom.payload_bytes < bytes) return bloom;
  return {num_rows, bytes};
}

double ExpectedRibbonRateOf(const RibbonShape& shape) {
  const double lower_portion = (shape.upper_start * 1.0 * kBlockRows) / shape.num_starts;
  const int columns = static_cast<int>(shape.columns);
  return lower_portion * std::pow(0.5, columns - 1) +
         (1.0 - lower_portion) * std::pow(0.5, columns);
}

double ExpectedBloomRateOf(uint64_t num_keys, uint64_t payload_bytes, int num_probes) {
  const double bytes = static_cast<double>(payload_bytes);
  const double keys = static_cast<double>(num_keys);
  const double of_block = ExpectedBloomRate(8.0 * bytes / keys, num_probes);
  // Two keys with the same hash.
  const double expected = keys * std::pow(0.5, 64);
  const double of_hash =
      expected > 0.0001 ? 1.0 - std::exp(-expected) : expected - (expected * expected * 0.5);
  return of_block + of_hash - (of_block * of_hash);
}

}  // namespace bloomline::stock
