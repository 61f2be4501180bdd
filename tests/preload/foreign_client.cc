// Asks the engines of foreign_engines.cc for their filters, which are to stay.
#include <cstdio>

#include "tests/preload/foreign_engines.h"

int main() {
  const bool own = leveldb::NewBloomFilterPolicy(10) == leveldb::own_policy &&
                   rocksdb::NewBloomFilterPolicy(10, false) == rocksdb::own_policy &&
                   rocksdb::NewRibbonFilterPolicy(10, 0) == rocksdb::own_policy;
  std::printf("own filters: %s\n", own ? "yes" : "no");
  return !own;
}
