// Whether bloomline can use the running RocksDB: its version, and whether it has the members that
// its headers declared when bloomline was compiled.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_LAYOUT_CHECK_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_LAYOUT_CHECK_H_

#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {
class Comparator;
struct ColumnFamilyOptions;
}  // namespace ROCKSDB_NAMESPACE

namespace bloomline::engine {

// Returns an empty string, or why this version of RocksDB cannot be used: the classes of
// filter_bits_abi.h change between minor versions, and calls through the wrong ones are undefined.
std::string RocksDBVersionMismatch();

// Whether the listeners of DBOptions, and the classes of these, are those of the headers. All
// versions of an interface can use a policy, but not its FilterAccount.
bool KnowsListeners();

// Returns an empty string, or which of RocksDB's structs is another than in the headers: those that
// a policy reads. A program may bundle a RocksDB that was changed without a change of its version.
// Call this after RocksDBVersionMismatch, and again later if a program calls RocksDB from its
// initializers: they may run before those of a RocksDB in the same file, and that is a mismatch.
std::string RocksDBLayoutMismatch();

// Both. The structs are compared once in a process, and not before RocksDB's own variables are set:
// a program that links bloomline may make its policy in an initializer. RocksDB makes options for
// the comparison, so this is not for code that RocksDB calls while it sets up its registry.
std::string RocksDBMismatch();

// The comparator of a family of the running RocksDB. Its place changes from version to version, so
// a policy library for programs looks where RocksDB's constructor puts it. Call this only after
// RocksDBLayoutMismatch has returned an empty string.
const ROCKSDB_NAMESPACE::Comparator* ComparatorOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_LAYOUT_CHECK_H_
