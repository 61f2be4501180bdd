// Its call of NewBloomFilterPolicy is compiled to a jump: the function returns to another file.
#ifdef BLOOMLINE_TEST_BASHO
#include "tests/engines/preload/foreign_engines.h"

extern "C" const void* MakePolicy() { return leveldb::NewBloomFilterPolicy(10); }
extern "C" const char* NameOf(const void* policy) {
  return policy == leveldb::own_policy ? "own" : "another";
}
#else
#include "rocksdb/filter_policy.h"

extern "C" const void* MakePolicy() { return rocksdb::NewBloomFilterPolicy(10); }
extern "C" const char* NameOf(const void* policy) {
  return static_cast<const rocksdb::FilterPolicy*>(policy)->Name();
}
#endif
