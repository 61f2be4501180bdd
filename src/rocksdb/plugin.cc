// How RocksDB finds the policy by name.
#include <mutex>

#include "bloomline/rocksdb.h"
#include "rocksdb/utilities/object_registry.h"
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

}  // namespace

int RegisterBloomline(ObjectLibrary& library, const std::string&) {
  library.AddFactory<const FilterPolicy>(
      ObjectLibrary::PatternEntry(kRocksDBPolicyName).AddSeparator(":", false),
      [](const std::string& id, std::unique_ptr<const FilterPolicy>* guard, std::string* error) {
        *guard = NewFromId(id, error);
        if (*guard == nullptr) {
          Complain("no RocksDB filter policy for '" + id + "': " + *error);
          *error = "bloomline: " + *error;
        }
        return guard->get();
      });
  return 1;
}

void RegisterBloomline() {
  static std::once_flag registered;
  std::call_once(registered, [] { RegisterBloomline(*ObjectLibrary::Default(), ""); });
}

std::shared_ptr<const FilterPolicy> NewRocksDBFilterPolicy(const FilterOptions& options,
                                                           std::string* error) {
  RegisterBloomline();
  std::string refusal;
  std::shared_ptr<const FilterPolicy> policy = MakeRocksDBFilterPolicy(options, &refusal);
  if (error != nullptr) *error = refusal;
  if (policy == nullptr && error == nullptr) {
    Complain("no RocksDB filter policy: " + refusal);
  }
  return policy;
}

}  // namespace bloomline
