// What is behind the handles of RocksDB's C functions. They are structs that begin with the pointer
// (db/c.cc, read in 7.8, 9.10 and 11.9).
#ifndef BLOOMLINE_ENGINES_ROCKSDB_REWRITE_C_HANDLES_H_
#define BLOOMLINE_ENGINES_ROCKSDB_REWRITE_C_HANDLES_H_

#include <cstring>

#include "rocksdb/c.h"
#include "rocksdb/db.h"

namespace bloomline {

template <typename Object, typename Handle>
Object* PointerIn(Handle* handle) {
  Object* object = nullptr;
  std::memcpy(static_cast<void*>(&object), handle, sizeof(object));
  return object;
}

inline ROCKSDB_NAMESPACE::DB* DatabaseOf(rocksdb_t* db) {
  return PointerIn<ROCKSDB_NAMESPACE::DB>(db);
}

// Null is the default column family.
inline ROCKSDB_NAMESPACE::ColumnFamilyHandle* FamilyOf(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family) {
  return column_family == nullptr ? DatabaseOf(db)->DefaultColumnFamily()
                                  : PointerIn<ROCKSDB_NAMESPACE::ColumnFamilyHandle>(column_family);
}

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_REWRITE_C_HANDLES_H_
