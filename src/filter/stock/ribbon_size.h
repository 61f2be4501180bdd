// The exact numbers by which RocksDB's Ribbon builder decides (table/block_based/filter_policy.cc,
// util/ribbon_config.cc, util/ribbon_impl.h), with its floating-point operations in its order:
// another rounding would be another filter.
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_SIZE_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_SIZE_H_

#include <cstdint>

#include "src/filter/stock/ribbon.h"

namespace bloomline::stock {

struct RibbonSize {
  uint32_t num_rows;  // a multiple of 128; 0: RocksDB writes a Bloom filter
  uint64_t payload_bytes;
};

// A filter with bits_per_key of RocksDB's Ribbon policy. The blocks that have one column less are
// rounded up or down by chance, which is the upper half of the first key's hash.
RibbonSize RibbonSizeOf(uint64_t num_keys, double bits_per_key, uint32_t chance);

// What RocksDB expects of payloads of any size: optimize_filters_for_memory balances these rates.
double ExpectedRibbonRateOf(const RibbonShape& shape);
double ExpectedBloomRateOf(uint64_t num_keys, uint64_t payload_bytes, int num_probes);

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_SIZE_H_
