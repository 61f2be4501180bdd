// Whether the running RocksDB has the members that its headers declared when bloomline was
// compiled.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_LAYOUT_CHECK_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_LAYOUT_CHECK_H_

#include <string>

namespace bloomline::engine {

// Returns an empty string, or which of RocksDB's structs is another than in the headers: those that
// a policy reads. A program may bundle a RocksDB that was changed without a change of its version.
// Call this after RocksDBVersionMismatch, and again later if a program calls RocksDB from its
// initializers: they may run before those of a RocksDB in the same file, and that is a mismatch.
std::string RocksDBLayoutMismatch();

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_LAYOUT_CHECK_H_
