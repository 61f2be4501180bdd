// The size and the number of probes of RocksDB's own filters: the same numbers as
// table/block_based/filter_policy.cc computes.
#ifndef BLOOMLINE_FILTER_STOCK_STOCK_SIZE_H_
#define BLOOMLINE_FILTER_STOCK_STOCK_SIZE_H_

#include <cstdint>

namespace bloomline::stock {

// RocksDB's policies keep bits per key as a whole number of thousandths. bits_per_key: 1 to 100.
int Millibits(double bits_per_key);

// FastLocalBloomImpl::ChooseNumProbes: 1 to 24.
int BloomNumProbes(int millibits);

// The bytes of a Bloom filter of num_keys keys, without its trailer: whole blocks of 64.
uint64_t BloomPayloadBytes(uint64_t num_keys, int millibits);

// The false-positive rate that RocksDB expects of a Bloom filter (BloomMath, util/bloom_impl.h). A
// ribbon filter is made for this rate; the bits of a Bloom filter follow it to 1 %.
double ExpectedBloomRate(double bits_per_key, int num_probes);

// ---- Ribbon filters.

// The rate of a ribbon filter with bits_per_key in RocksDB's sense: that of its Bloom filter.
double RibbonRate(double bits_per_key);
// The memory of a filter of that rate, in bits per key, and back. A filter of num_keys keys has a
// few more slots than keys, and a mixture of blocks of c and of c + 1 columns.
double RibbonMemoryBits(double bits_per_key, uint64_t num_keys);
double RibbonBitsOfMemory(double memory_bits, uint64_t num_keys);
// The rate of a filter with this much memory.
double RibbonRateOfMemory(double memory_bits, uint64_t num_keys);

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_STOCK_SIZE_H_
