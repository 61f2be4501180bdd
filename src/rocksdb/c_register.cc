// The functions that are called from C: include/bloomline/c_rocksdb.h, and the plugin's.
#include <string>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "src/errors/c_error.h"
#include "src/errors/out_of_memory.h"
#include "src/rocksdb/filter_policy.h"

extern "C" uint8_t bloomline_rocksdb_register(char** errptr) {
  std::string error;
  const bool registered = bloomline::core::OrError(&error, [](std::string* reason) {
    *reason = bloomline::RocksDBVersionMismatch();
    if (!reason->empty()) return false;
    if (bloomline::RegisterBloomline()) return true;
    *reason = bloomline::core::kOutOfMemory;
    return false;
  });
  if (!registered) bloomline::core::SetCError(error, errptr);
  return registered ? 1 : 0;
}

extern "C" int bloomline_rocksdb_plugin(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                        const std::string& arg) {
  return bloomline::RegisterBloomline(library, arg);
}
