// How RocksDB finds the policy by name.
#include <cstdio>
#include <mutex>

#include "bloomline/rocksdb.h"
#include "rocksdb/utilities/object_registry.h"
#include "src/errors/out_of_memory.h"
#include "src/rocksdb/filter_policy.h"
#include "src/rocksdb/policy_options.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;

// "bloomline" or "bloomline:BITS_PER_KEY".
std::unique_ptr<FilterPolicy> NewFromId(const std::string& id, std::string* error) {
  FilterOptions options;
  const size_t colon = id.find(':');
  if (colon != std::string::npos) {
    *error = ParseBitsPerKey(id.substr(colon + 1), &options);
    if (!error->empty()) return nullptr;
  }
  return MakeRocksDBFilterPolicy(options, error);
}

// Returns the number of factories added.
int AddFactory(ObjectLibrary* library) {
  library->AddFactory<const FilterPolicy>(
      ObjectLibrary::PatternEntry(kRocksDBPolicyName).AddSeparator(":", false),
      [](const std::string& id, std::unique_ptr<const FilterPolicy>* guard, std::string* error) {
        *guard = core::OrError(error, [&](std::string* reason) { return NewFromId(id, reason); });
        if (*guard == nullptr) {
          // RocksDB drops the error, so it is said here also where there is no memory for more.
          std::fprintf(stderr, "bloomline: no RocksDB filter policy for '%s': %s\n", id.c_str(),
                       error->c_str());
          core::OrError(error, [&](std::string* reason) {
            *reason = "bloomline: " + *error;
            return false;
          });
        }
        return guard->get();
      });
  return 1;
}

}  // namespace

int RegisterBloomline(ObjectLibrary& library, const std::string&) {
  return core::OrIfOutOfMemory(0, [&] { return AddFactory(&library); });
}

bool RegisterBloomline() {
  static std::mutex mutex;
  static bool registered = false;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto registers = [] { return RegisterBloomline(*ObjectLibrary::Default(), "") != 0; };
  if (!registered) registered = core::OrIfOutOfMemory(false, registers);
  return registered;
}

std::shared_ptr<const FilterPolicy> NewRocksDBFilterPolicy(const FilterOptions& options,
                                                           std::string* error) {
  std::string refusal;
  const std::shared_ptr<const FilterPolicy> policy =
      core::OrError(&refusal, [&](std::string* reason) -> std::shared_ptr<const FilterPolicy> {
        return RegisterBloomline() ? MakeRocksDBFilterPolicy(options, reason) : nullptr;
      });
  if (policy == nullptr) {
    core::SetError(refusal, error);
    if (error == nullptr) {
      std::fprintf(stderr, "bloomline: no RocksDB filter policy: %s\n", refusal.c_str());
    }
  }
  return policy;
}

}  // namespace bloomline
