// The filters of RocksDB and LevelDB, compiled from their own sources.
#ifndef BLOOMLINE_DB_BENCH_EXT_INSTRUCTIONS_PEERS_H_
#define BLOOMLINE_DB_BENCH_EXT_INSTRUCTIONS_PEERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// RocksDB's Bloom filter: a payload of len_bytes, a multiple of 64. The hash is given.
struct RocksdbFilter {
  char* data;
  uint32_t len_bytes;
  int num_probes;
};
bool RocksdbMayMatch(const RocksdbFilter& filter, uint64_t hash);
void RocksdbInsertMany(const RocksdbFilter& filter, size_t n, const uint64_t* hashes);

// LevelDB's, which hashes the key in each call.
std::string LeveldbFilter(const std::vector<std::string>& keys, int bits_per_key);
bool LeveldbMayMatch(const std::string& filter, const std::string& key);

#endif  // BLOOMLINE_DB_BENCH_EXT_INSTRUCTIONS_PEERS_H_
