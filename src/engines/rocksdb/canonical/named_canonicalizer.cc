#include "src/engines/rocksdb/canonical/named_canonicalizer.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <set>

#include "src/filter/keys/canonical_keys.h"
#include "src/support/out_of_memory.h"

namespace bloomline {
namespace {

// The text of UnknownCanonicalizer. No canonicalizer has this name. RocksDB makes new policies of
// the text of old ones, and these must not forget that they need a canonicalizer.
constexpr char kUnknownText[] = "?";

// Never destroyed: databases may be closed by destructors of static objects.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const KeyCanonicalizer>, std::less<>> by_name;
  std::set<std::string, std::less<>> reported;  // unknown names that stderr has a line of
};

Registry& TheRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

CanonicalizerPtr Find(const std::string& name) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.by_name.find(name);
  return std::make_shared<const NamedCanonicalizer>(
      name, found == registry.by_name.end() ? nullptr : found->second);
}

std::string RegisteredNames() {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  std::string names;
  for (const auto& [name, canonicalizer] : registry.by_name) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "none" : names;
}

}  // namespace

bool RegisterKeyCanonicalizer(std::shared_ptr<const KeyCanonicalizer> canonicalizer,
                              std::string* error) {
  std::string refusal;
  const bool registered = support::OrError(&refusal, [&](std::string* reason) {
    support::ErrorText wrong;
    if (canonicalizer == nullptr) {
      wrong << "the canonicalizer is null; allowed: an object";
    } else {
      filter::CheckCanonicalizerName(canonicalizer->Name(), &wrong);
      if (wrong.empty() && canonicalizer->Name() == std::string_view(kNoCanonicalizer)) {
        wrong << "the canonicalizer's name is 'none', which means that there is none; allowed: "
                 "other names";
      }
    }
    if (support::IsRefused(wrong, reason)) return false;
    std::string name = canonicalizer->Name();
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    registry.reported.erase(name);
    // The one before goes after the lock is released: its destructor is the user's.
    std::swap(registry.by_name[std::move(name)], canonicalizer);
    return true;
  });
  if (registered) return true;
  support::SetError(refusal, error);
  if (error == nullptr) {
    std::fprintf(stderr, "bloomline: no key canonicalizer registered: %s\n", refusal.c_str());
  }
  return false;
}

const CanonicalizerPtr& UnknownCanonicalizer() {
  // Its name is valid, but is written nowhere.
  static const CanonicalizerPtr& unknown =
      *new CanonicalizerPtr(std::make_shared<const NamedCanonicalizer>("unknown", nullptr));
  return unknown;
}

std::string ParseCanonicalizer(const std::string& value, RocksDBFilterOptions* options) {
  if (options->canonicalizer == nullptr) {
    if (value == kNoCanonicalizer) return "";
    options->canonicalizer = UnknownCanonicalizer();
  }
  const bool is_known = options->canonicalizer != UnknownCanonicalizer();
  if (value == kUnknownText && !is_known) return "";
  support::ErrorText wrong;
  filter::CheckCanonicalizerName(value.c_str(), &wrong);
  if (!wrong.empty()) return wrong.str();
  const std::string current = CanonicalizerText(*options);
  if (current != value && (is_known || value == kNoCanonicalizer)) {
    return "canonicalizer is '" + value + "', and the policy has '" + current +
           "'; allowed: the same";
  }
  if (CanonicalizerOf(*options)->canonicalizer() == nullptr) options->canonicalizer = Find(value);
  return "";
}

std::string CanonicalizerText(const RocksDBFilterOptions& options) {
  if (options.canonicalizer == nullptr) return "";
  return options.canonicalizer == UnknownCanonicalizer() ? kUnknownText
                                                         : options.canonicalizer->Name();
}

std::string WhyCanonicalizerIsUnknown(const NamedCanonicalizer& canonicalizer) {
  if (canonicalizer.canonicalizer() != nullptr) return "";
  return "canonicalizer is '" + std::string(canonicalizer.name()) +
         "'; allowed: those that RegisterKeyCanonicalizer was called with: " + RegisteredNames();
}

bool IsFirstReportOf(const NamedCanonicalizer& canonicalizer) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  return registry.reported.emplace(canonicalizer.name()).second;
}

}  // namespace bloomline
