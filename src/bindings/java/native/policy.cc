// The functions that the shim calls. The rest of a policy library is bloomline's RocksDB adaptor.
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "bloomline/c_rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "src/filter/options/policy_id.h"
#include "src/support/quoted.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using bloomline::filter::PolicyClass;
using bloomline::filter::PolicyId;
using ROCKSDB_NAMESPACE::FilterPolicy;
using PolicyPointer = std::shared_ptr<const FilterPolicy>;

// The policy that RocksDB makes for an id of its own, such as ribbonfilter:10:1; null with the
// reason in *error if it makes none. For some wrong ids it gives none without an error, and for
// numbers that are too large it throws an exception.
PolicyPointer NewStockPolicy(const char* options, bool is_valid, char** error) {
  PolicyPointer policy;
  if (is_valid) {
    FilterPolicy::CreateFromString(ROCKSDB_NAMESPACE::ConfigOptions(), options, &policy)
        .PermitUncheckedError();
  }
  if (policy != nullptr) return policy;
  const std::string reason = "filter policy is " + bloomline::support::Quoted(options) +
                             "; allowed: bloomfilter:BITS, ribbonfilter:BITS:LEVEL";
  *error = strdup(reason.c_str());
  return nullptr;
}

// f(), which may return null with the reason in *error for free(). No exception may go through C.
template <typename F>
auto Guarded(char** error, F f) -> decltype(f()) {
  *error = nullptr;
  try {
    return f();
  } catch (const std::exception& e) {
    *error = strdup(e.what());
    return nullptr;
  }
}

}  // namespace

// A function of RocksDB as this library sees it. The shim checks that it is rocksdbjni's.
EXPORT const void* bloomline_java_rocksdb_function() {
  return reinterpret_cast<const void*>(&ROCKSDB_NAMESPACE::NewRibbonFilterPolicy);
}

// Makes bloomline known to RocksDB by name. Returns null, or why that failed, for free().
EXPORT char* bloomline_java_register() {
  char* error = nullptr;
  Guarded(&error, [&]() -> const void* {
    bloomline_rocksdb_register(&error);
    return nullptr;
  });
  return error;
}

// Returns what org.rocksdb.Filter takes for its handle: the address of a shared_ptr, which
// rocksdbjni deletes. Returns null if the options are wrong, with the reason in *error for free().
EXPORT void* bloomline_java_new_filter(const char* options, char** error) {
  return Guarded(error, [&]() -> void* {
    const PolicyId id = bloomline::filter::ParsePolicyId(options);
    PolicyPointer policy;
    if (id.policy_class == PolicyClass::kBloom || id.policy_class == PolicyClass::kRibbon) {
      policy = NewStockPolicy(options, id.is_valid, error);
    } else {
      // A pointer to the C++ class: see plugin.cc.
      policy.reset(reinterpret_cast<const FilterPolicy*>(
          bloomline_rocksdb_filterpolicy_create(options, error)));
    }
    return policy == nullptr ? nullptr : new PolicyPointer(std::move(policy));
  });
}
