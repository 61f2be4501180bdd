// Registers the policy, so that RocksDB finds it by name. Every option string begins here:
// NewFromId takes the name, and RocksDB then passes the options to the policy
// (options/policy_options.h).
#include <cstdio>
#include <mutex>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/object_registry.h"
#include "src/engines/rocksdb/budget/make_account.h"
#include "src/engines/rocksdb/canonical/named_canonicalizer.h"
#include "src/engines/rocksdb/options/format_options.h"
#include "src/engines/rocksdb/options/option_table.h"
#include "src/engines/rocksdb/options/policy_options.h"
#include "src/engines/rocksdb/options/policy_text.h"
#include "src/engines/rocksdb/policy.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/support/out_of_memory.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::SliceTransform;

// The policy that `id` names: "bloomline", "bloomline:BITS_PER_KEY", or "bloomline.canon", whose
// canonicalizer is set after that.
std::unique_ptr<FilterPolicy> NewFromId(const std::string& id, std::string* error) {
  RocksDBFilterOptions options;
  const size_t colon = id.find(':');
  if (id.substr(0, colon) == kCanonicalPolicyName) options.canonicalizer = UnknownCanonicalizer();
  if (colon != std::string::npos) {
    *error = ParseBitsPerKey(id.substr(colon + 1), &options);
    if (!error->empty()) return nullptr;
  }
  return MakeRocksDBFilterPolicy(options, error, true);
}

// Returns the number of factories added.
int AddFactory(ObjectLibrary* library) {
  library->AddFactory<const FilterPolicy>(
      ObjectLibrary::PatternEntry(kRocksDBPolicyName)
          .AnotherName(kCanonicalPolicyName)
          .AddSeparator(":", false),
      [](const std::string& id, std::unique_ptr<const FilterPolicy>* guard, std::string* error) {
        *guard =
            support::OrError(error, [&](std::string* reason) { return NewFromId(id, reason); });
        if (*guard == nullptr) {
          // RocksDB drops the error, so stderr gets it, even without memory for a longer text.
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
      // Without a number in options, with one in tables.
      ObjectLibrary::PatternEntry(filter::kRangeExtractorName).AddSeparator(":"),
      [](const std::string&, std::unique_ptr<const SliceTransform>* guard, std::string*) {
        *guard = support::OrIfOutOfMemory<std::unique_ptr<const SliceTransform>>(
            nullptr, MakeRangeExtractor);
        return guard->get();
      });
  library->AddFactory<EventListener>(
      FilterAccount::kClassName(),
      [](const std::string&, std::unique_ptr<EventListener>* guard, std::string*) {
        *guard =
            support::OrIfOutOfMemory<std::unique_ptr<EventListener>>(nullptr, MakeFilterAccount);
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
    const std::string name = id.substr(0, id.find(':'));
    // From the second name alone RocksDB makes a policy without a canonicalizer, which is useless.
    if (name != kRocksDBPolicyName &&
        (name != kCanonicalPolicyName || changes.count(kCanonicalizerOption) == 0)) {
      *reason = WrongPolicyText(text);
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
  return support::OrIfOutOfMemory<std::shared_ptr<const SliceTransform>>(nullptr,
                                                                         MakeRangeExtractor);
}

int RegisterBloomline(ObjectLibrary& library, const std::string&) {
  return support::OrIfOutOfMemory(0, [&] {
    // Registration is inline code of RocksDB's headers, so it needs the right version, too.
    const std::string mismatch = RocksDBVersionMismatch();
    if (mismatch.empty()) return AddFactory(&library);
    std::fprintf(stderr, "bloomline: not registered: %s\n", mismatch.c_str());
    return 0;
  });
}

bool RegisterBloomline() {
  static std::mutex mutex;
  static bool registered = false;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto registers = [] { return RegisterBloomline(*ObjectLibrary::Default(), "") != 0; };
  if (!registered) registered = support::OrIfOutOfMemory(false, registers);
  return registered;
}

std::shared_ptr<const FilterPolicy> NewRocksDBFilterPolicy(const FilterOptions& options,
                                                           std::string* error) {
  return NewRocksDBFilterPolicy(RocksDBFilterOptions(options), error);
}

std::shared_ptr<const FilterPolicy> NewRocksDBFilterPolicy(const RocksDBFilterOptions& options,
                                                           std::string* error) {
  std::string refusal;
  if (options.stock_if_version_differs) {
    const std::string mismatch = RocksDBVersionMismatch();
    if (!mismatch.empty() && options.Validate().empty()) {
      ReportStockPolicy(mismatch);
      return StockPolicyOf(options);
    }
  }
  std::shared_ptr<const FilterPolicy> policy =
      support::OrError(&refusal, [&](std::string* reason) -> std::shared_ptr<const FilterPolicy> {
        *reason = RocksDBVersionMismatch();
        if (!reason->empty() || !RegisterBloomline()) return nullptr;
        if (options.canonicalizer == nullptr) return MakeRocksDBFilterPolicy(options, reason);
        if (!RegisterKeyCanonicalizer(options.canonicalizer, reason)) return nullptr;
        RocksDBFilterOptions named = options;
        named.canonicalizer = std::make_shared<const NamedCanonicalizer>(
            options.canonicalizer->Name(), options.canonicalizer);
        return MakeRocksDBFilterPolicy(named, reason);
      });
  if (policy != nullptr) return policy;
  support::SetError(refusal, error);
  if (error == nullptr) {
    std::fprintf(stderr, "bloomline: no RocksDB filter policy: %s\n", refusal.c_str());
  }
  return nullptr;
}

}  // namespace bloomline
