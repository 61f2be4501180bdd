#include "src/engines/rocksdb/options/policy_options.h"

#include <cstdio>
#include <string_view>
#include <utility>

#include "src/engines/rocksdb/options/option_table.h"
#include "src/engines/rocksdb/options/policy_text.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/support/out_of_memory.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Status;

void Complain(std::string_view message) {
  std::fprintf(stderr, "bloomline: RocksDB filter policy: %.*s\n", static_cast<int>(message.size()),
               message.data());
}

// The id without numbers, which needs no memory.
const char* ShortIdOf(const PolicySettings& settings) {
  if (settings.options.stock_id) return StockPolicyName(settings.options.format);
  return settings.canonicalizer != nullptr ? kCanonicalPolicyName : kRocksDBPolicyName;
}

std::string IdOf(const PolicySettings& settings) {
  const RocksDBFilterOptions& options = settings.options;
  if (!options.stock_id) return ShortIdOf(settings);
  return support::OrIfOutOfMemory(std::string(ShortIdOf(settings)), [&] {
    return StockPolicyText(options.format, options.bits_per_key,
                           options.flush_format.value_or(options.format));
  });
}

// "bits_per_key=7.5;format=compact;": all but the option that `without` names.
std::string OptionString(const RocksDBFilterOptions& options, std::string_view without,
                         const std::string& delimiter) {
  std::string text;
  for (const OptionRow& row : OptionTable()) {
    const std::string value = row.text(options);
    if (row.name == without || value.empty()) continue;
    text += row.name + ("=" + value) + delimiter;
  }
  return text;
}

// Of RocksDB's own policy, which for Ribbon filters has options from 8.7 on. RocksDB opens a
// database only if the policy that it loads from the OPTIONS file's text prints the same text.
std::string StockOptionString(const std::string& id, const ConfigOptions& config) {
  std::string text;
  const auto stock = StockPolicyNamed(id);
  if (stock != nullptr) stock->GetOptionString(config, &text).PermitUncheckedError();
  return text;
}

// Reads the option `name` of `value`, as RocksDB may have escaped it. Returns what is wrong.
std::string ReadOption(const ConfigOptions& config, const OptionRow& row, const std::string& value,
                       RocksDBFilterOptions* options) {
  std::string text;
  const Status status =
      OptionTypeInfo(0, OptionType::kString).Parse(config, row.name, value, &text);
  return status.ok() ? row.parse(text, options) : status.ToString();
}

// The error that the canonicalizer of these settings is not registered. stderr gets a line once:
// RocksDB makes a policy of each OPTIONS file that it has written, to check the file.
Status CanonicalizerStatus(const PolicySettings& settings) {
  if (settings.canonicalizer == nullptr) return Status::OK();
  const std::string error = WhyCanonicalizerIsUnknown(*settings.canonicalizer);
  if (error.empty()) return Status::OK();
  if (IsFirstReportOf(*settings.canonicalizer)) {
    Complain(error + "; the policy uses no filters and writes none");
  }
  return Status::InvalidArgument("bloomline", error);
}

OptionTypeInfo TypeInfo(const OptionRow& row) {
  const auto text = [write = row.text](const void* object) {
    return write(static_cast<const PolicyOptions*>(object)->Load()->options);
  };
  return OptionTypeInfo(
      0, row.type, OptionVerificationType::kNormal, OptionTypeFlags::kMutable,
      [](const ConfigOptions& config, const std::string& name, const std::string& value,
         void* object) {
        return support::OrIfOutOfMemory(Status::MemoryLimit(), [&] {
          ConfigOptions unescaped = config;
          unescaped.input_strings_escaped = false;
          return static_cast<PolicyOptions*>(object)->Change(unescaped, {{name, value}}, nullptr);
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

SettingsPtr WithUnknownCanonicalizer(const PolicySettings& settings) {
  const auto unknown = std::make_shared<PolicySettings>(settings);
  unknown->canonicalizer = UnknownCanonicalizer();
  unknown->options.canonicalizer = unknown->canonicalizer;
  return unknown;
}

}  // namespace

PolicyOptions::PolicyOptions(SettingsPtr settings, bool is_new)
    : if_unknown_(is_new ? WithUnknownCanonicalizer(*settings) : nullptr),
      settings_(std::move(settings)) {}

SettingsPtr PolicyOptions::Load() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void PolicyOptions::Store(SettingsPtr settings) {
  const std::lock_guard lock(mutex_);
  settings_.swap(settings);
}

const char* PolicyOptions::Name() const {
  const SettingsPtr settings = Load();
  return settings->options.stock_id ? StockPolicyName(settings->options.format)
                                    : kRocksDBPolicyName;
}

std::string PolicyOptions::Id() const { return IdOf(*Load()); }

bool PolicyOptions::KeepsCanonicalizerAs(const std::string& id) const {
  const std::string_view name = std::string_view(id).substr(0, id.find(':'));
  const bool is_bloomline = name == kRocksDBPolicyName || name == kCanonicalPolicyName;
  if (!is_bloomline || name.size() == id.size() || Load()->canonicalizer == nullptr) return false;
  const std::string_view shown = support::ShownPart(id);
  const std::string_view bits = shown.substr(name.size() + 1);
  std::fprintf(
      stderr,
      "bloomline: RocksDB filter policy: '%.*s' has no canonicalizer, which the policy keeps, "
      "with its bits per key; allowed: {bits_per_key=%.*s}\n",
      static_cast<int>(shown.size()), shown.data(), static_cast<int>(bits.size()), bits.data());
  return true;
}

Status PolicyOptions::Change(const ConfigOptions& config, const Changes& changes, Changes* unused) {
  const Status status = support::OrIfOutOfMemory(Status::MemoryLimit(), [&] {
    const std::lock_guard lock(changing_);
    if (is_used_.load(std::memory_order_relaxed)) if_unknown_ = nullptr;
    const std::string error = if_unknown_ == nullptr
                                  ? Apply(config, changes, unused, false)
                                  : ChangeNew(config, changes, unused, std::move(if_unknown_));
    const SettingsPtr settings = Load();
    if (error.empty()) {
      return changes.count(kCanonicalizerOption) == 0 ? Status::OK()
                                                      : CanonicalizerStatus(*settings);
    }
    // The seed may be a secret.
    std::string current = OptionString(settings->options, "seed", ";");
    current.pop_back();
    Complain(error + "; the options stay " + current);
    // Not NotFound for unknown names: RocksDB would conclude that it does not know this policy.
    return Status::InvalidArgument("bloomline", error);
  });
  if (status.IsMemoryLimit()) Complain("out of memory; the options stay as they are");
  return status;
}

std::string PolicyOptions::ChangeNew(const ConfigOptions& config, const Changes& changes,
                                     Changes* unused, SettingsPtr if_unknown) {
  const auto named = changes.find(kCanonicalizerOption);
  if (named != changes.end() &&
      (named->second != kNoCanonicalizer || Load()->canonicalizer != nullptr)) {
    Store(std::move(if_unknown));  // from now on it is required, even if the next line throws
    const std::string error = Apply(config, {*named}, nullptr, true);
    if (!error.empty()) return error;
  }
  return Apply(config, changes, unused, true);
}

std::string PolicyOptions::Apply(const ConfigOptions& config, const Changes& changes,
                                 Changes* unused, bool is_new) {
  RocksDBFilterOptions changed = Load()->options;
  Changes unknown;
  for (const auto& [name, value] : changes) {
    const OptionRow* const row = FindOption(name);
    if (row == nullptr) {
      unknown.emplace(name, value);
      continue;
    }
    const std::string error = ReadOption(config, *row, value, &changed);
    if (!error.empty()) return error;
  }
  if (unused != nullptr) {
    unused->insert(unknown.begin(), unknown.end());
  } else if (!unknown.empty() && !config.ignore_unknown_options) {
    return UnknownOptionText(unknown.begin()->first);
  }
  if (!is_new && changes.count(kCanonicalizerOption) != 0 && changed.canonicalizer != nullptr) {
    const std::string error = WhyCanonicalizerIsUnknown(*CanonicalizerOf(changed));
    if (!error.empty()) return error;
  }
  std::string error;
  SettingsPtr settings = MakeSettings(changed, &error);
  if (settings == nullptr)
    return std::string("in format ") + FormatName(changed.format) + ", " + error;
  Store(std::move(settings));
  return "";
}

std::string PolicyOptions::Serialize(const ConfigOptions& config, const std::string& prefix) const {
  const SettingsPtr settings = Load();
  std::string text = support::OrIfOutOfMemory(std::string(), [&] {
    const std::string id = IdOf(*settings);
    if (config.IsShallow()) return id;
    const std::string options = settings->options.stock_id
                                    ? StockOptionString(id, config)
                                    : OptionString(settings->options, "", config.delimiter);
    return options.empty() ? id : prefix + "id=" + id + config.delimiter + options;
  });
  if (!text.empty()) return text;
  Complain("out of memory; its options are not written, only its name");
  return ShortIdOf(*settings);
}

const PolicyOptions::Types& PolicyOptions::OptionTypes() {
  static const Types& types = *[] {
    auto* const all = new Types;
    for (const OptionRow& row : OptionTable()) all->emplace(row.name, TypeInfo(row));
    return all;
  }();
  return types;
}

}  // namespace bloomline
