// A module that uses RocksDB, or the engines of foreign_engines.cc, whose filters are to stay.
// `host` calls its functions. Where the last call of MakePolicy is compiled to a jump, the engine
// returns to another file.
#ifdef BLOOMLINE_TEST_ROCKSDB
#include "rocksdb/filter_policy.h"

extern "C" const void* MakePolicy() { return rocksdb::NewBloomFilterPolicy(10); }
extern "C" const char* NameOf(const void* policy) {
  return static_cast<const rocksdb::FilterPolicy*>(policy)->Name();
}
#else
#include "tests/engines/preload/foreign_engines.h"

namespace {

bool OpensOwnDatabases() {
  using namespace rocksdb;
  return DB::Open(Options(), "options", nullptr).text[9] == own_policy &&
         DB::Open(DBOptions(), "families", {}, nullptr, nullptr).text[9] == own_policy;
}

}  // namespace

extern "C" const void* MakePolicy() {
  const bool own = rocksdb::NewBloomFilterPolicy(10, false) == rocksdb::own_policy &&
                   rocksdb::NewRibbonFilterPolicy(10, 0) == rocksdb::own_policy &&
                   OpensOwnDatabases();
  if (!own) return nullptr;
  return leveldb::NewBloomFilterPolicy(10);
}
extern "C" const char* NameOf(const void* policy) {
  return policy == leveldb::own_policy ? "own" : "another";
}
#endif
