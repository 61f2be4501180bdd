// Registers the policy, so that RocksDB finds it by name. Every option string begins here:
// NewFromId takes the name, and RocksDB then passes the options to the policy
// (options/policy_options.h).
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string_view>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/object_registry.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/options/option_table.h"
#include "src/engines/rocksdb/options/policy_options.h"
#include "src/engines/rocksdb/policy.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/support/quoted.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::SliceTransform;

// Takes "bloomline" with or without bits per key, like the names of RocksDB's own policies. Many
// configurations have the suffix of "bloomline:10:false": it chose a Bloom filter's layout until
// RocksDB 7.0, which ignores it, too.
std::unique_ptr<FilterPolicy> NewFromId(const std::string& id, std::string* error) {
  RocksDBFilterOptions options;
  const size_t colon = id.find(':');
  if (colon == std::string::npos) return MakeRocksDBFilterPolicy(options, error);
  std::string bits = id.substr(colon + 1);
  const size_t suffix = std::min(bits.find(':'), bits.size());
  const std::string_view flag = std::string_view(bits).substr(suffix);
  if (flag == ":false" || flag == ":true") {
    bits.resize(suffix);
  } else if (!flag.empty()) {
    *error = "the name is " + support::Quoted(id) +
             "; allowed: bloomline:BITS_PER_KEY, and ':false' or ':true' behind it, which means "
             "nothing. In place of ribbonfilter:10:0 write "
             "{id=bloomline;format=ribbon;flush_format=bloom;bits_per_key=10}, and in place of "
             "ribbonfilter:10:-1 {id=bloomline;format=ribbon;bits_per_key=10}";
    return nullptr;
  }
  *error = SetOption("bits_per_key", bits, &options);
  return error->empty() ? MakeRocksDBFilterPolicy(options, error) : nullptr;
}

// Returns the number of factories added.
int AddFactory(ObjectLibrary* library) {
  library->AddFactory<const FilterPolicy>(
      ObjectLibrary::PatternEntry(kRocksDBPolicyName).AddSeparator(":", false),
      [](const std::string& id, std::unique_ptr<const FilterPolicy>* guard, std::string* error) {
        *guard =
            support::OrError(error, [&](std::string* reason) { return NewFromId(id, reason); });
        if (*guard == nullptr) {
          // RocksDB drops the error, so stderr gets it.
          const std::string_view shown = support::ShownPart(id);
          std::fprintf(stderr, "bloomline: no RocksDB filter policy for '%.*s%s': %s\n",
                       static_cast<int>(shown.size()), shown.data(),
                       shown.size() == id.size() ? "" : "...", error->c_str());
          support::OrError(error, [&](std::string* reason) {
            *reason = "bloomline: " + *error;
            return false;
          });
        }
        return guard->get();
      });
  library->AddFactory<const SliceTransform>(
      // The id has no number in options, and one in tables.
      ObjectLibrary::PatternEntry(filter::kRangeExtractorName).AddSeparator(":"),
      [](const std::string&, std::unique_ptr<const SliceTransform>* guard, std::string*) {
        *guard = MakeRangeExtractor();
        return guard->get();
      });
  library->AddFactory<EventListener>(
      FilterAccount::kClassName(),
      [](const std::string&, std::unique_ptr<EventListener>* guard, std::string*) {
        *guard = MakeFilterAccount();
        return guard->get();
      });
  return 3;
}

}  // namespace

std::unique_ptr<FilterPolicy> MakeRocksDBFilterPolicy(const std::string& text, std::string* error) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<FilterPolicy> {
    *reason = RocksDBVersionMismatch();
    if (!reason->empty()) return nullptr;
    const ROCKSDB_NAMESPACE::ConfigOptions config;
    std::string id;
    PolicyOptions::Changes changes;
    FilterPolicy::GetOptionsMap(config, nullptr, text, &id, &changes).PermitUncheckedError();
    if (id.substr(0, id.find(':')) != kRocksDBPolicyName) {
      *reason = "filter policy is " + support::Quoted(text) +
                "; allowed: bloomline, bloomline:BITS_PER_KEY, {id=bloomline;OPTION=VALUE;...}";
      return nullptr;
    }
    std::unique_ptr<FilterPolicy> policy = NewFromId(id, reason);
    if (policy == nullptr) return policy;
    const ROCKSDB_NAMESPACE::Status status = policy->ConfigureFromMap(config, changes);
    if (status.ok()) return policy;
    *reason = status.ToString();
    return nullptr;
  });
}

std::shared_ptr<const SliceTransform> NewRangeExtractor() {
  // RocksDB makes each table's extractor by its name.
  if (!RegisterBloomline()) return nullptr;
  return MakeRangeExtractor();
}

int RegisterBloomline(ObjectLibrary& library, const std::string&) {
  // Registration is inline code of RocksDB's headers, so it also needs the right version.
  const std::string mismatch = RocksDBVersionMismatch();
  if (mismatch.empty()) return AddFactory(&library);
  std::fprintf(stderr, "bloomline: not registered: %s\n", mismatch.c_str());
  return 0;
}

bool RegisterBloomline() {
  static std::mutex mutex;
  static bool registered = false;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!registered) registered = RegisterBloomline(*ObjectLibrary::Default(), "") != 0;
  return registered;
}

std::shared_ptr<const FilterPolicy> NewRocksDBFilterPolicy(const FilterOptions& options,
                                                           std::string* error) {
  return NewRocksDBFilterPolicy(RocksDBFilterOptions(options), error);
}

std::shared_ptr<const FilterPolicy> NewRocksDBFilterPolicy(const RocksDBFilterOptions& options,
                                                           std::string* error) {
  std::string refusal;
  std::shared_ptr<const FilterPolicy> policy =
      support::OrError(&refusal, [&](std::string* reason) -> std::shared_ptr<const FilterPolicy> {
        *reason = RocksDBVersionMismatch();
        if (!reason->empty() || !RegisterBloomline()) return nullptr;
        return MakeRocksDBFilterPolicy(options, reason);
      });
  if (policy != nullptr) return policy;
  support::SetError(refusal, error);
  if (error == nullptr) {
    std::fprintf(stderr, "bloomline: no RocksDB filter policy: %s\n", refusal.c_str());
  }
  return nullptr;
}

}  // namespace bloomline
