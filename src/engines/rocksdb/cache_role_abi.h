// How RocksDB tells that an entry of its block cache stands for the memory of a filter under
// construction (CacheEntryRole::kFilterConstruction). Entries of that role are a line of their own
// in RocksDB's statistics of the cache.
//
//   7.0.3 - 7.1    the entry's deleter, a function inside RocksDB; the role is not public
//   7.2 - 7.9      the entry's deleter, a function inside RocksDB
//   7.10 -         the role in the entry's CacheItemHelper, which anybody can make
//
// RocksDB's library exports a function that returns its own deleter or helper. Its name is
// TEST_..., but all builds have it. It is a weak reference here: a library that hides or lacks it
// leaves a null pointer, and then entries have a deleter of bloomline's, which RocksDB counts as
// kMisc, or a helper of bloomline's with the right role.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_CACHE_ROLE_ABI_H_
#define BLOOMLINE_ENGINES_ROCKSDB_CACHE_ROLE_ABI_H_

#include "rocksdb/cache.h"
#include "rocksdb/version.h"
#if __has_include("rocksdb/advanced_cache.h")
#include "rocksdb/advanced_cache.h"
#endif

// The version is that of the headers: BLOOMLINE_ROCKSDB_VERSION may be another one in tests.
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 710
#define BLOOMLINE_ROCKSDB_HAS_CACHE_HELPERS 1
#else
#define BLOOMLINE_ROCKSDB_HAS_CACHE_HELPERS 0
#endif
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 702
#define BLOOMLINE_ROCKSDB_HAS_CACHE_ROLES 1
#else
#define BLOOMLINE_ROCKSDB_HAS_CACHE_ROLES 0
#endif

#if BLOOMLINE_ROCKSDB_HAS_CACHE_ROLES
namespace ROCKSDB_NAMESPACE {

// The part of RocksDB's class template that is used here. Only cache_charge.cc includes this, and
// it includes no header of RocksDB's tree with the real one.
template <CacheEntryRole kRole>
class CacheReservationManagerImpl {
 public:
#if BLOOMLINE_ROCKSDB_HAS_CACHE_HELPERS
  __attribute__((weak)) static const Cache::CacheItemHelper* TEST_GetCacheItemHelperForRole();
#else
  __attribute__((weak)) static Cache::DeleterFn TEST_GetNoopDeleterForRole();
#endif
};

}  // namespace ROCKSDB_NAMESPACE
#endif

#endif  // BLOOMLINE_ENGINES_ROCKSDB_CACHE_ROLE_ABI_H_
