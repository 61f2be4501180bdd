#include "db_bench_ext/instructions/peers.h"
#include "util/bloom_impl.h"

using rocksdb::FastLocalBloomImpl;
using rocksdb::Lower32of64;
using rocksdb::Upper32of64;

bool RocksdbMayMatch(const RocksdbFilter& filter, uint64_t hash) {
  return FastLocalBloomImpl::HashMayMatch(Lower32of64(hash), Upper32of64(hash), filter.len_bytes,
                                          filter.num_probes, filter.data);
}

// FastLocalBloomBitsBuilder::AddAllEntries without its buffer of eight prefetched keys.
void RocksdbInsertMany(const RocksdbFilter& caller_filter, size_t n, const uint64_t* hashes) {
  const RocksdbFilter filter = caller_filter;
  for (size_t i = 0; i < n; ++i) {
    uint32_t byte_offset;
    FastLocalBloomImpl::PrepareHash(Lower32of64(hashes[i]), filter.len_bytes, filter.data,
                                    &byte_offset);
    FastLocalBloomImpl::AddHashPrepared(Upper32of64(hashes[i]), filter.num_probes,
                                        filter.data + byte_offset);
  }
}
