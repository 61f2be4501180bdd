// Asks the engines of foreign_engines.cc for their filters, which are to stay.
// Usage: main [LIBRARY]: another library to open before, with names that no other file sees
#include <dlfcn.h>

#include <cstdio>

#include "tests/engines/preload/foreign_engines.h"

int main(int argc, char** argv) {
  if (argc > 1 && dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) == nullptr) return 2;
  const bool own = leveldb::NewBloomFilterPolicy(10) == leveldb::own_policy &&
                   rocksdb::NewBloomFilterPolicy(10, false) == rocksdb::own_policy &&
                   rocksdb::NewRibbonFilterPolicy(10, 0) == rocksdb::own_policy;
  std::printf("own filters: %s\n", own ? "yes" : "no");
  return !own;
}
