// The functions that the shim calls. The rest of a policy library is bloomline's RocksDB adaptor.
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "bloomline/c_rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/listener.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/budget/account_listener.h"
#include "src/filter/options/policy_id.h"
#include "src/support/quoted.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using bloomline::filter::PolicyClass;
using bloomline::filter::PolicyId;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ListenerPointer = std::shared_ptr<EventListener>;
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

// Returns an empty string, or why the running RocksDB can have no listener of this library. The
// functions of EventListener and the structs that they get differ between minor versions, also
// between those of one interface (builder/tested_versions.h), so only the version of the headers is
// safe.
std::string WhyNoListener() {
  const std::string running = ROCKSDB_NAMESPACE::GetRocksVersionAsString(true);
  const std::string compiled = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  if (running.rfind(compiled + ".", 0) == 0) return "";
  return "this rocksdbjni is of RocksDB " + running + ", and bloomline's listener for it is of " +
         compiled + "; use rocksdbjni " + compiled + ", or no FilterAccount";
}

// OPTIONS files name the listener.
void RegisterAccount() {
  static const bool is_registered = [] {
    if (!WhyNoListener().empty()) return false;
    ROCKSDB_NAMESPACE::ObjectLibrary::Default()->AddFactory<EventListener>(
        bloomline::FilterAccount::kClassName(),
        [](const std::string&, std::unique_ptr<EventListener>* guard, std::string*) {
          *guard = bloomline::engine::MakeFilterAccount();
          return guard->get();
        });
    return true;
  }();
  (void)is_registered;
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
    if (bloomline_rocksdb_register(&error)) RegisterAccount();
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

// Returns what org.rocksdb.AbstractEventListener takes for its handle: the address of a shared_ptr,
// which rocksdbjni deletes. Returns null, with the reason in *error for free(), if this version of
// RocksDB can have no listener.
EXPORT void* bloomline_java_new_account(char** error) {
  return Guarded(error, [&]() -> void* {
    if (!bloomline_rocksdb_register(error)) return nullptr;  // its structs may be others
    const std::string why_not = WhyNoListener();
    if (why_not.empty()) return new ListenerPointer(bloomline::engine::MakeFilterAccount());
    *error = strdup(why_not.c_str());
    return nullptr;
  });
}
