// Engines inside a program that bloomline was not compiled for.
#ifndef BLOOMLINE_TESTS_PRELOAD_FOREIGN_ENGINES_H_
#define BLOOMLINE_TESTS_PRELOAD_FOREIGN_ENGINES_H_

namespace leveldb {
class FilterPolicy;
extern const FilterPolicy* const own_policy;
const FilterPolicy* NewBloomFilterPolicy(int bits_per_key);
}  // namespace leveldb

namespace rocksdb {
class FilterPolicy;
extern const FilterPolicy* const own_policy;
const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool unused);
const FilterPolicy* NewRibbonFilterPolicy(double bits_per_key, int bloom_before_level);
}  // namespace rocksdb

#endif  // BLOOMLINE_TESTS_PRELOAD_FOREIGN_ENGINES_H_
