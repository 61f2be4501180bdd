// The one file that knows RocksDB's internals: the two classes that RocksDB only forward-declares
// in its public headers, declared as its shared library was compiled. The order of virtual
// functions is the interface.
//
// Three shapes exist (read from RocksDB's table/block_based/filter_policy_internal.h, 7.0.1 to
// 11.9):
//   7.0.1 - 9.5.2    no AddKeyAndAlt
//   9.6.1 - 10.8.3   AddKeyAndAlt after AddKey
//   10.9.1 -         and CalculateSpace, EstimatedFpRate at the end
// The last two are declared always: older versions never call past their own table's end.
#ifndef BLOOMLINE_ROCKSDB_FILTER_BITS_ABI_H_
#define BLOOMLINE_ROCKSDB_FILTER_BITS_ABI_H_

#include <cstddef>
#include <memory>

#include "rocksdb/version.h"

// 708 for 7.8; the tests compile the other shapes by setting it.
#ifndef BLOOMLINE_ROCKSDB_VERSION
#define BLOOMLINE_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)
#endif

#if BLOOMLINE_ROCKSDB_VERSION < 700
#error "bloomline needs RocksDB 7.0 or later: before, the filter interface was another one"
#endif

#if BLOOMLINE_ROCKSDB_VERSION >= 906
#define BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT 1
#else
#define BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT 0
#endif

// Inside RocksDB's own tree the real declarations are at hand and leave nothing to keep in step.
#if __has_include("table/block_based/filter_policy_internal.h")
#include "table/block_based/filter_policy_internal.h"
#else

#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() {}
  virtual void AddKey(const Slice& key) = 0;
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  virtual void AddKeyAndAlt(const Slice& key, const Slice& alt) = 0;
#endif
  virtual size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) = 0;
  virtual Status MaybePostVerify(const Slice& filter) = 0;
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;
  virtual size_t CalculateSpace(size_t num_entries) = 0;
  virtual double EstimatedFpRate(size_t num_entries, size_t bytes) = 0;
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() {}
  virtual bool MayMatch(const Slice& entry) = 0;
  virtual void MayMatch(int num_keys, Slice** keys, bool* may_match) = 0;
};

}  // namespace ROCKSDB_NAMESPACE

#endif
#endif  // BLOOMLINE_ROCKSDB_FILTER_BITS_ABI_H_
