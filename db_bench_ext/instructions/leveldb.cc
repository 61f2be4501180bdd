#include "db_bench_ext/instructions/peers.h"
#include "util/bloom.cc"
#include "util/filter_policy.cc"
#include "util/hash.cc"

std::string LeveldbFilter(const std::vector<std::string>& keys, int bits_per_key) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string filter;
  leveldb::BloomFilterPolicy(bits_per_key)
      .CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  return filter;
}

bool LeveldbMayMatch(const std::string& filter, const std::string& key) {
  static const leveldb::FilterPolicy* const policy = leveldb::NewBloomFilterPolicy(10);
  return policy->KeyMayMatch(key, filter);
}
