// The functions that are called from C: include/bloomline/c_rocksdb.h, and the plugin's.
#include <memory>
#include <string>
#include <utility>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/policy.h"
#include "src/filter/format/callback_canonicalizer.h"
#include "src/support/c_error.h"
#include "src/support/out_of_memory.h"

extern "C" uint8_t bloomline_rocksdb_register(char** errptr) {
  return bloomline::support::OrSetError(errptr, [](std::string* reason) {
    *reason = bloomline::RocksDBVersionMismatch();
    if (!reason->empty()) return false;
    if (bloomline::RegisterBloomline()) return true;
    *reason = bloomline::support::kOutOfMemory;
    return false;
  });
}

extern "C" uint8_t bloomline_rocksdb_register_canonicalizer(
    const char* name, bloomline::filter::CanonicalizeCallback::Function canonicalize, void* state,
    void (*destructor)(void*), char** errptr) {
  using bloomline::filter::CallbackCanonicalizer;
  bloomline::filter::OwnedCallback callback({canonicalize, state, destructor});
  return bloomline::support::OrSetError(errptr, [&](std::string* reason) {
    if (canonicalize == nullptr) {
      *reason = "canonicalize is NULL; allowed: a function";
      return false;
    }
    return bloomline::RegisterKeyCanonicalizer(
        std::make_shared<const CallbackCanonicalizer>(name, std::move(callback)), reason);
  });
}

extern "C" int bloomline_rocksdb_plugin(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                        const std::string& arg) {
  return bloomline::RegisterBloomline(library, arg);
}
