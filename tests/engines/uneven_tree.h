// A RocksDB database as compactions leave it for a while: levels of many files, which are not full,
// and some of which cover only a part of the range.
#ifndef BLOOMLINE_TESTS_ENGINES_UNEVEN_TREE_H_
#define BLOOMLINE_TESTS_ENGINES_UNEVEN_TREE_H_

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/inspect/advice/advice.h"

namespace bloomline::tests {

class UnevenTree {
 public:
  // The last level has `keys` keys. With RocksDB's Bloom filters of 10 bits.
  UnevenTree(const std::string& path, uint64_t keys, bool is_partitioned = false);

  // Opens the database with another policy, and rewrites each level in its place.
  void Rewrite(std::shared_ptr<const rocksdb::FilterPolicy> policy);

  // The levels, of whose runs all waste alike.
  advice::Situation Look(double wasted_reads) const;

  // Per lookup.
  struct Reads {
    double positives = 0;   // filters that say "may match"
    double rejections = 0;  // filters that say "no"
  };
  Reads ReadMissing(uint64_t num);
  uint64_t CountLostKeys();

 private:
  using Files = std::vector<rocksdb::LiveFileMetaData>;

  void Open(std::shared_ptr<const rocksdb::FilterPolicy> policy);
  void Write(size_t part);
  void Compact(int from, int to);
  std::map<int, Files> FilesByLevel() const;

  const std::string path_;
  const uint64_t keys_;
  const bool is_partitioned_;
  const std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_UNEVEN_TREE_H_
