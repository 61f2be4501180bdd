#include "src/rocksdb/named_canonicalizer.h"

#include <cstdio>
#include <map>
#include <mutex>

#include "src/errors/out_of_memory.h"
#include "src/format/canonical_keys.h"

namespace bloomline {
namespace {

// Never destroyed: databases may be closed by destructors of static objects.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const KeyCanonicalizer>, std::less<>> by_name;
};

Registry& TheRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

SharedCanonicalizer Find(const std::string& name) {
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
  const bool registered = core::OrError(&refusal, [&](std::string* reason) {
    core::ErrorText wrong;
    if (canonicalizer == nullptr) {
      wrong << "the canonicalizer is null; allowed: an object";
    } else {
      core::CheckCanonicalizerName(canonicalizer->Name(), &wrong);
    }
    if (core::IsRefused(wrong, reason)) return false;
    std::string name = canonicalizer->Name();
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    // The one before goes after the lock is released: its destructor is the user's.
    std::swap(registry.by_name[std::move(name)], canonicalizer);
    return true;
  });
  if (registered) return true;
  core::SetError(refusal, error);
  if (error == nullptr) {
    std::fprintf(stderr, "bloomline: no key canonicalizer registered: %s\n", refusal.c_str());
  }
  return false;
}

const SharedCanonicalizer& UnknownCanonicalizer() {
  // Its name is valid, but is written nowhere.
  static const SharedCanonicalizer& unknown =
      *new SharedCanonicalizer(std::make_shared<const NamedCanonicalizer>("unknown", nullptr));
  return unknown;
}

std::string ParseCanonicalizer(const std::string& value, RocksDBFilterOptions* options) {
  if (options->canonicalizer == nullptr) options->canonicalizer = UnknownCanonicalizer();
  core::ErrorText wrong;
  core::CheckCanonicalizerName(value.c_str(), &wrong);
  if (!wrong.empty()) return wrong.str();
  const std::string current = CanonicalizerText(*options);
  if (!current.empty() && current != value) {
    return "canonicalizer is '" + value + "', and the policy has '" + current +
           "'; allowed: the same";
  }
  if (CanonicalizerOf(*options)->canonicalizer() == nullptr) options->canonicalizer = Find(value);
  return "";
}

std::string CanonicalizerText(const RocksDBFilterOptions& options) {
  const bool has_name =
      options.canonicalizer != nullptr && options.canonicalizer != UnknownCanonicalizer();
  return has_name ? options.canonicalizer->Name() : "";
}

std::string WhyCanonicalizerIsUnknown(const NamedCanonicalizer& canonicalizer) {
  if (canonicalizer.canonicalizer() != nullptr) return "";
  return "canonicalizer is '" + std::string(canonicalizer.name()) +
         "'; allowed: those that RegisterKeyCanonicalizer was called with: " + RegisteredNames();
}

}  // namespace bloomline
