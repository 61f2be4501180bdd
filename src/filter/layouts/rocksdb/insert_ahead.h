// The loop in which the keys of RocksDB's Bloom filters, both kinds, set their bits.
#ifndef BLOOMLINE_FILTER_LAYOUTS_ROCKSDB_INSERT_AHEAD_H_
#define BLOOMLINE_FILTER_LAYOUTS_ROCKSDB_INSERT_AHEAD_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::filter {

// Calls insert(hash, block_of(hash)) for each hash, and prefetches the blocks of later ones.
template <typename BlockOf, typename Insert>
void InsertAhead(size_t n, const uint64_t* hashes, BlockOf block_of, Insert insert) {
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) __builtin_prefetch(block_of(hashes[i + kAhead]), 1);
    insert(hashes[i], block_of(hashes[i]));
  }
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_ROCKSDB_INSERT_AHEAD_H_
