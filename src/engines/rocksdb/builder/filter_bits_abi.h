// The two classes that RocksDB's public headers only forward-declare, as its library was compiled.
// No other file declares them. The order of the virtual functions is the interface. The end has the
// names of RocksDB that the whole adaptor uses.
//
// Three shapes exist (read from RocksDB's table/block_based/filter_policy_internal.h, 7.0.3 to
// 11.9):
//   7.0.3 - 9.5.2    no AddKeyAndAlt
//   9.6.1 - 10.8.3   AddKeyAndAlt after AddKey
//   10.9.1 -         and CalculateSpace, EstimatedFpRate at the end
// The declarations below have the last two in every version: older ones never call past the end of
// their own table.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_FILTER_BITS_ABI_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_FILTER_BITS_ABI_H_

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "rocksdb/filter_policy.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/builder/tested_versions.h"

// 708 for 7.8. The tests set it to compile the other shapes.
#ifndef BLOOMLINE_ROCKSDB_VERSION
#define BLOOMLINE_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)
#endif

#if BLOOMLINE_ROCKSDB_VERSION < 700 || (BLOOMLINE_ROCKSDB_VERSION == 700 && ROCKSDB_PATCH < 3)
#error "bloomline needs RocksDB 7.0.3 or later: older versions have another filter interface"
#endif

#if BLOOMLINE_ROCKSDB_VERSION >= 906
#define BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT 1
#else
#define BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT 0
#endif

// RocksDB's own tree has the real declarations.
#if __has_include("table/block_based/filter_policy_internal.h")
#define BLOOMLINE_ROCKSDB_IN_TREE 1
#else
#define BLOOMLINE_ROCKSDB_IN_TREE 0
#endif

// `override` for the functions that only some versions declare.
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
#define BLOOMLINE_OVERRIDE_SINCE_9_6 override
#else
#define BLOOMLINE_OVERRIDE_SINCE_9_6
#endif
#if BLOOMLINE_ROCKSDB_IN_TREE && BLOOMLINE_ROCKSDB_VERSION < 1009
#define BLOOMLINE_OVERRIDE_SINCE_10_9
#else
#define BLOOMLINE_OVERRIDE_SINCE_10_9 override
#endif

#if BLOOMLINE_ROCKSDB_IN_TREE
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

namespace bloomline::engine {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Logger;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Options as RocksDB gives them to what it configures: texts by name.
using OptionMap = std::unordered_map<std::string, std::string>;

// Whether this is a policy library for programs that bundle RocksDB (cmake/PolicyForProgram.cmake).
// It runs with all versions of its interface, so it reads no member whose place differs between
// these.
#ifdef BLOOMLINE_POLICY_FOR_PROGRAM
inline constexpr bool kIsForProgram = true;
#else
inline constexpr bool kIsForProgram = false;
#endif

// Whether the databases of this library's policies can have its FilterAccount. A policy library for
// programs that has a listener, too, defines BLOOMLINE_POLICY_HAS_ACCOUNT.
#if defined(BLOOMLINE_POLICY_FOR_PROGRAM) && !defined(BLOOMLINE_POLICY_HAS_ACCOUNT)
inline constexpr bool kHasAccount = false;
#else
inline constexpr bool kHasAccount = true;
#endif

inline std::string VersionText(int version) {
  return std::to_string(version / 100) + "." + std::to_string(version % 100);
}

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_FILTER_BITS_ABI_H_
