// Compiled by CMake as C++17, then as C++20, to see which of them RocksDB's headers need.
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/utilities/options_type.h"
#include "rocksdb/version.h"

#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 1007 && __cplusplus < 202002L
#error "RocksDB 10.7 and later need C++20"
#endif
