#include "src/engines/rocksdb/options/policy_options.h"

#include <optional>
#include <string_view>
#include <utility>

#include "src/engines/rocksdb/options/option_table.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/support/quoted.h"
#include "src/support/taken_errors.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;

// An option of earlier versions. A database with this option has a comparator that treats different
// keys as equal, so filters would lose keys: a policy that is given the option writes none.
constexpr char kCanonicalizer[] = "canonicalizer";

// An option that earlier versions wrote into every OPTIONS file. It says nothing of filters.
constexpr char kSampleQueries[] = "sample_queries";

constexpr char kBloomBeforeLevel[] = "bloom_before_level";

// Sets the number of a Ribbon policy of RocksDB, which has any. Returns an empty string, or what is
// wrong.
std::string FollowBloomBeforeLevel(const ConfigOptions& config, const std::string& value,
                                   RibbonOptions ribbon_options, RocksDBFilterOptions* options) {
  int level = 0;
  const Status status =
      OptionTypeInfo(0, OptionType::kInt).Parse(config, kBloomBeforeLevel, value, &level);
  if (!status.ok()) return status.ToString();
  if (ribbon_options == RibbonOptions::kFollowed && options->format == Format::kRibbon &&
      !options->flush_format.has_value()) {
    options->bloom_before_level = AllowedBloomBeforeLevel(level);
  }
  return "";
}

std::string IdWith(const RocksDBFilterOptions& options) {
  if (!options.stock_id) return kRocksDBPolicyName;
  const int bloom_before_level =
      options.flush_format == Format::kBloom ? 0 : options.bloom_before_level;
  return StockPolicyText(options.format, BitsAsInRocksDB(options.bits_per_key), bloom_before_level);
}

// "bits_per_key=7.5;format=compact;"
std::string OptionString(const RocksDBFilterOptions& options, const std::string& delimiter) {
  std::string text;
  for (const OptionRow& row : OptionTable()) {
    const std::string value = row.text(options);
    if (row.writes_default || value != row.text({})) text += row.name + ("=" + value) + delimiter;
  }
  return text;
}

// "format=compact, memory=1000": what differs from the defaults. The seed may be a secret.
std::string OwnOptions(const RocksDBFilterOptions& options) {
  std::string own;
  for (const OptionRow& row : OptionTable()) {
    const std::string text = row.text(options);
    if (text == row.text({}) || row.name == std::string_view("seed")) continue;
    own += (own.empty() ? "" : ", ") + std::string(row.name) + "=" + text;
  }
  return own.empty() ? "the defaults" : own;
}

// The options of RocksDB's own policy; Ribbon policies have some from 8.7 on. RocksDB opens a
// database only if the policy that it loads from the OPTIONS file's text prints the same text.
std::string StockOptionString(const std::string& id, const ConfigOptions& config) {
  std::string text;
  const auto stock = StockPolicyNamed(id);
  if (stock != nullptr) stock->GetOptionString(config, &text).PermitUncheckedError();
  return text;
}

OptionTypeInfo TypeInfo(const OptionRow& row) {
  const auto text = [write = row.text](const void* object) {
    return write(static_cast<const PolicyOptions*>(object)->Load()->options);
  };
  return OptionTypeInfo(
      0, row.type, OptionVerificationType::kNormal, OptionTypeFlags::kMutable,
      [](const ConfigOptions&, const std::string& name, const std::string&, void*) {
        return Status::NotSupported("bloomline", name +
                                                     " is not changed alone: change the whole "
                                                     "filter_policy={" +
                                                     name + "=...;}");
      },
      [text](const ConfigOptions&, const std::string&, const void* object, std::string* value) {
        *value = text(object);
        return Status::OK();
      },
      [text](const ConfigOptions&, const std::string& name, const void* a, const void* b,
             std::string* mismatch) {
        if (text(a) == text(b)) return true;
        *mismatch = name;
        return false;
      });
}

}  // namespace

SettingsPtr PolicyOptions::Load() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

const char* PolicyOptions::Name() const {
  const SettingsPtr settings = Load();
  return settings->options.stock_id ? StockPolicyName(settings->options.format)
                                    : kRocksDBPolicyName;
}

std::string PolicyOptions::Id() const { return IdWith(Load()->options); }

Status PolicyOptions::Change(const ConfigOptions& config, const Changes& changes, Changes* unused) {
  SettingsPtr settings = Load();
  std::string error = Apply(config, changes, unused, &settings);
  if (!error.empty()) {
    if (changes.count(kCanonicalizer) != 0) {
      const auto without_filters = std::make_shared<PolicySettings>(*settings);
      without_filters->options.bits_per_key = 0;
      without_filters->options.bits_by_level.clear();  // they count for levels even then
      without_filters->levels = MakeLevelRules(without_filters->options, 0);
      without_filters->memory = {};
      settings = without_filters;
    }
    support::TakenErrors::Print("RocksDB filter policy: " + error + "; the options are " +
                                OwnOptions(settings->options));
  }
  {
    const std::lock_guard lock(mutex_);
    settings_.swap(settings);
  }
  // NotFound would tell RocksDB that it does not know this policy.
  return error.empty() ? Status::OK() : Status::InvalidArgument("bloomline", error);
}

std::string PolicyOptions::Apply(const ConfigOptions& config, const Changes& changes,
                                 Changes* unused, SettingsPtr* settings) const {
  if (changes.empty()) return "";  // RocksDB changes nothing in each policy that a string names
  RocksDBFilterOptions changed = (*settings)->options;
  for (const auto& [name, value] : changes) {
    if (name == kSampleQueries) continue;
    if (ribbon_options_ != RibbonOptions::kOwn && name == kBloomBeforeLevel) {
      std::string error = FollowBloomBeforeLevel(config, value, ribbon_options_, &changed);
      if (!error.empty()) return error;
      continue;
    }
    if (OptionTypes().count(name) == 0 && name != kCanonicalizer) {
      if (unused != nullptr) unused->emplace(name, value);
      if (unused != nullptr || config.ignore_unknown_options) continue;
    }
    std::string text;  // RocksDB may have escaped it
    const Status status = OptionTypeInfo(0, OptionType::kString).Parse(config, name, value, &text);
    std::string error = status.ok() ? SetOption(name, text, &changed) : status.ToString();
    if (!error.empty()) return error;
  }
  std::string error;
  SettingsPtr made = MakeSettings(changed, &error);
  if (made == nullptr) return error;
  *settings = std::move(made);
  return "";
}

std::string PolicyOptions::Serialize(const ConfigOptions& config, const std::string& prefix) const {
  const SettingsPtr settings = Load();
  const std::string id = IdWith(settings->options);
  if (config.IsShallow()) return id;
  const std::string options = settings->options.stock_id
                                  ? StockOptionString(id, config)
                                  : OptionString(settings->options, config.delimiter);
  return options.empty() ? id : prefix + "id=" + id + config.delimiter + options;
}

const PolicyOptions::Types& PolicyOptions::OptionTypes() {
  static const Types& types = *[] {
    auto* const all = new Types;
    for (const OptionRow& row : OptionTable()) all->emplace(row.name, TypeInfo(row));
    return all;
  }();
  return types;
}

}  // namespace bloomline::engine
