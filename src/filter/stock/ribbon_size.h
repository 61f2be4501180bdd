// The exact numbers by which RocksDB's Ribbon builder decides (table/block_based/filter_policy.cc,
// util/ribbon_config.cc, util/ribbon_impl.h), with its floating-point operations in its order:
// another rounding would be another filter.
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_SIZE_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_SIZE_H_

#include <cstdint>

namespace bloomline::stock {

// With more keys, RocksDB writes a Bloom filter.
constexpr uint64_t kMaxRibbonKeys = 950000000;

// With fewer rows, RocksDB writes a Bloom filter if that is smaller.
constexpr uint32_t kManyRibbonRows = 1024;

// The rows of a filter of 1 to kMaxRibbonKeys keys: a multiple of 128.
uint32_t RibbonRowsFor(uint32_t num_keys);

// The payload for a false-positive rate of 1 / one_in. The blocks that have one column less are
// rounded up or down by chance, which is the upper half of the first key's hash.
uint64_t RibbonBytesFor(uint32_t num_rows, double one_in, uint32_t chance);

// What RocksDB expects of payloads of any size: optimize_filters_for_memory balances these rates.
double ExpectedRibbonRateOf(uint32_t num_rows, uint64_t payload_bytes);
double ExpectedBloomRateOf(uint64_t num_keys, uint64_t payload_bytes, int num_probes);

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_SIZE_H_
