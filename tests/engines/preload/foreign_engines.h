// Engines inside a program that bloomline was not compiled for.
#ifndef BLOOMLINE_TESTS_PRELOAD_FOREIGN_ENGINES_H_
#define BLOOMLINE_TESTS_PRELOAD_FOREIGN_ENGINES_H_

#include <string>
#include <vector>

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

class ColumnFamilyHandle;
struct ColumnFamilyDescriptor {};
struct DBOptions {};
struct Options {};

// Larger than that of any RocksDB.
struct Status {
  ~Status() {}

  const FilterPolicy* text[10];
};

class DB {
 public:
  static Status Open(const Options& options, const std::string& name, DB** db);
  static Status Open(const DBOptions& options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles, DB** db);
};
}  // namespace rocksdb

#endif  // BLOOMLINE_TESTS_PRELOAD_FOREIGN_ENGINES_H_
