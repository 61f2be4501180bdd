// Its call of NewBloomFilterPolicy is compiled to a jump: the function returns to another file.
#ifdef BLOOMLINE_TEST_BASHO
#include "tests/engines/preload/foreign_engines.h"

extern "C" const void* MakePolicy() { return leveldb::NewBloomFilterPolicy(10); }
extern "C" const char* NameOf(const void* policy) {
  return policy == leveldb::own_policy ? "own" : "another";
}
#else
#ifdef BLOOMLINE_TEST_LEVELDB
#include "leveldb/filter_policy.h"
namespace engine = leveldb;
#else
#include "rocksdb/filter_policy.h"
namespace engine = rocksdb;
#endif

extern "C" const void* MakePolicy() { return engine::NewBloomFilterPolicy(10); }
extern "C" const char* NameOf(const void* policy) {
  return static_cast<const engine::FilterPolicy*>(policy)->Name();
}
#endif
