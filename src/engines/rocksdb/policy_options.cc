#include "src/engines/rocksdb/policy_options.h"

#include <cstdio>
#include <utility>

#include "bloomline/seed.h"
#include "src/engines/rocksdb/filter_options.h"
#include "src/engines/rocksdb/option_text.h"
#include "src/engines/rocksdb/policy.h"
#include "src/support/out_of_memory.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Status;

void Complain(std::string_view message) {
  std::fprintf(stderr, "bloomline: %.*s\n", static_cast<int>(message.size()), message.data());
}

PolicyOptions::Snapshot MakeSnapshot(const RocksDBFilterOptions& options) {
  RangeSettings ranges;
  ReadRangeSettings(options, &ranges);
  return {Normalized(options), MakeLevelRules(options), CanonicalizerOf(options), ranges};
}

const char* IdOf(bool has_canonicalizer) {
  return has_canonicalizer ? kCanonicalPolicyName : kRocksDBPolicyName;
}

// "bits_per_key=7.5;format=compact;": all but the option that `without` names.
std::string OptionString(const RocksDBFilterOptions& options, std::string_view without,
                         const std::string& delimiter) {
  std::string text;
  for (const OptionText& option : OptionTexts()) {
    const std::string value = option.text(options);
    if (option.name == without || value.empty()) continue;
    text += option.name + ("=" + value) + delimiter;
  }
  return text;
}

}  // namespace

PolicyOptions::PolicyOptions(const RocksDBFilterOptions& options, bool is_new)
    : is_new_(is_new),
      options_(options),
      snapshot_(MakeSnapshot(options)),
      has_canonicalizer_(options.canonicalizer != nullptr) {}

RocksDBFilterOptions PolicyOptions::LoadOptions() const {
  const std::lock_guard lock(mutex_);
  return options_;
}

PolicyOptions::Snapshot PolicyOptions::LoadSnapshot() const {
  const std::lock_guard lock(mutex_);
  is_new_ = false;
  return snapshot_;
}

CanonicalizerPtr PolicyOptions::LoadCanonicalizer() const {
  if (!has_canonicalizer_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(mutex_);
  return snapshot_.canonicalizer;
}

std::string PolicyOptions::Id() const { return IdOf(has_canonicalizer_); }

bool PolicyOptions::KeepsCanonicalizerAs(const std::string& id) const {
  const std::string_view name = std::string_view(id).substr(0, id.find(':'));
  const bool is_bloomline = name == kRocksDBPolicyName || name == kCanonicalPolicyName;
  if (!has_canonicalizer_ || !is_bloomline || name.size() == id.size()) return false;
  std::fprintf(
      stderr,
      "bloomline: RocksDB filter policy: '%s' has no canonicalizer, which the policy keeps, "
      "with its bits per key; allowed: {bits_per_key=%s}\n",
      id.c_str(), id.c_str() + name.size() + 1);
  return true;
}

Status PolicyOptions::Change(const ConfigOptions& config, const Changes& changes, Changes* unused) {
  Status status = support::OrIfOutOfMemory(Status::MemoryLimit(), [&] {
    const std::string error = TryChange(config, changes, unused);
    if (error.empty()) return CanonicalizerStatus(changes);
    // The seed may be a secret.
    std::string current = OptionString(LoadOptions(), "seed", ";");
    current.pop_back();
    Complain("RocksDB filter policy: " + error + "; the options stay " + current);
    // Not NotFound for unknown names: RocksDB would conclude that it does not know this policy.
    return Status::InvalidArgument("bloomline", error);
  });
  if (status.IsMemoryLimit()) {
    Complain("RocksDB filter policy: out of memory; the options stay as they are");
  }
  return status;
}

Status PolicyOptions::CanonicalizerStatus(const Changes& changes) const {
  const CanonicalizerPtr canonicalizer = LoadCanonicalizer();
  if (changes.count(kCanonicalizerOption) == 0 || canonicalizer == nullptr) return Status::OK();
  const std::string error = WhyCanonicalizerIsUnknown(*canonicalizer);
  if (error.empty()) return Status::OK();
  // RocksDB makes a policy of each OPTIONS file that it has written, to check the file.
  if (IsFirstReportOf(*canonicalizer)) {
    Complain("RocksDB filter policy: " + error + "; the policy uses no filters and writes none");
  }
  return Status::InvalidArgument("bloomline", error);
}

std::string PolicyOptions::TakeCanonicalizer(const std::string& name) {
  if (options_.canonicalizer == nullptr && name == kNoCanonicalizer) return "";
  if (options_.canonicalizer == nullptr) {  // now it is required, even if the next line throws
    options_.canonicalizer = snapshot_.canonicalizer = UnknownCanonicalizer();
    has_canonicalizer_.store(true, std::memory_order_release);
  }
  const std::string error = ParseCanonicalizer(name, &options_);
  snapshot_.canonicalizer = CanonicalizerOf(options_);
  return error;
}

std::string PolicyOptions::TryChange(const ConfigOptions& config, const Changes& changes,
                                     Changes* unused) {
  const std::lock_guard lock(mutex_);
  const bool is_new = std::exchange(is_new_, false);
  const auto named = changes.find(kCanonicalizerOption);
  if (is_new && named != changes.end()) {
    const std::string error = TakeCanonicalizer(named->second);
    if (!error.empty()) return error;
  }
  PolicyOptions draft{RocksDBFilterOptions()};
  RocksDBFilterOptions& changed = draft.options_;
  changed = options_;
  Changes unknown;
  for (const auto& [name, value] : changes) {
    const auto option = OptionTypes().find(name);
    if (option == OptionTypes().end()) {
      unknown.emplace(name, value);
      continue;
    }
    const Status status = option->second.Parse(config, name, value, &draft);
    if (!status.ok()) return status.getState() == nullptr ? status.ToString() : status.getState();
  }
  if (unused != nullptr) {
    unused->insert(unknown.begin(), unknown.end());
  } else if (!unknown.empty() && !config.ignore_unknown_options) {
    return "there is no option '" + unknown.begin()->first + "'; allowed: " + OptionNames();
  }
  if (!is_new && named != changes.end() && changed.canonicalizer != nullptr) {
    const std::string unknown_name = WhyCanonicalizerIsUnknown(*CanonicalizerOf(changed));
    if (!unknown_name.empty()) return unknown_name;
  }
  const std::string error = changed.Validate();
  if (!error.empty()) return std::string("in format ") + FormatName(changed.format) + ", " + error;
  // As when a policy is made: builders cannot fail.
  uint64_t unused_seed;
  std::string failure;
  if (changed.random_seed && !DrawSeed(&unused_seed, &failure)) return failure;
  snapshot_ = MakeSnapshot(changed);  // may throw: the next line does not
  options_ = std::move(changed);
  has_canonicalizer_.store(options_.canonicalizer != nullptr, std::memory_order_release);
  return "";
}

std::string PolicyOptions::Serialize(const ConfigOptions& config, const std::string& prefix) const {
  std::string text = support::OrIfOutOfMemory(std::string(), [&] {
    const RocksDBFilterOptions options = LoadOptions();
    const std::string id = IdOf(options.canonicalizer != nullptr);
    if (config.IsShallow()) return id;
    return prefix + "id=" + id + config.delimiter + OptionString(options, "", config.delimiter);
  });
  if (!text.empty()) return text;
  Complain("RocksDB filter policy: out of memory; its options are not written, only its name");
  return Id();
}

ROCKSDB_NAMESPACE::OptionTypeInfo PolicyOptions::TypeInfo(const OptionText& option) {
  const auto text = [write = option.text](const void* object) {
    const auto& options = *static_cast<const PolicyOptions*>(object);
    const std::lock_guard lock(options.mutex_);
    return write(options.options_);
  };
  return OptionTypeInfo(
      0, option.type, OptionVerificationType::kNormal, OptionTypeFlags::kMutable,
      [parse = option.parse](const ConfigOptions&, const std::string&, const std::string& value,
                             void* object) {
        return support::OrIfOutOfMemory(Status::MemoryLimit(), [&] {
          const std::string error = parse(value, &static_cast<PolicyOptions*>(object)->options_);
          return error.empty() ? Status::OK() : Status::InvalidArgument(error);
        });
      },
      [text](const ConfigOptions&, const std::string&, const void* object, std::string* value) {
        return support::OrIfOutOfMemory(Status::MemoryLimit(), [&] {
          *value = text(object);
          return Status::OK();
        });
      },
      [text](const ConfigOptions&, const std::string& name, const void* a, const void* b,
             std::string* mismatch) {
        const bool equal = support::OrIfOutOfMemory(false, [&] { return text(a) == text(b); });
        if (!equal) support::SetError(name, mismatch);
        return equal;
      });
}

const PolicyOptions::Types& PolicyOptions::OptionTypes() {
  static const Types& types = *[] {
    auto* const all = new Types;
    for (const OptionText& option : OptionTexts()) all->emplace(option.name, TypeInfo(option));
    return all;
  }();
  return types;
}

}  // namespace bloomline
