// The bytes of RocksDB's Bloom filters, both kinds: the same bytes as table/block_based/
// filter_policy.cc and util/bloom_impl.h write.
#ifndef BLOOMLINE_FILTER_STOCK_BLOOM_BYTES_H_
#define BLOOMLINE_FILTER_STOCK_BLOOM_BYTES_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/stock/stock_filter.h"

namespace bloomline::stock {

// The shape of the filter of num_keys keys, at least 1: `data` is null. Legacy filters have a whole
// number of bits per key, and an odd number of blocks of 64 bytes.
StockFilter BloomShape(uint64_t num_keys, double bits_per_key);
StockFilter LegacyBloomShape(uint64_t num_keys, double bits_per_key);

// The shape of a filter, not a legacy one, with a payload of whole blocks.
StockFilter BloomOf(uint64_t payload_bytes, int num_probes);

// Sets the bits of keys in shape.payload_bytes bytes, which were zeros at first. The hashes are
// those of the filter's reader (readers.h).
void AddToBloom(const StockFilter& shape, size_t n, const uint64_t* hashes, char* payload);

// Writes the kTrailerBytes bytes behind the payload.
void WriteBloomTrailer(const StockFilter& shape, char* dst);

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_BLOOM_BYTES_H_
