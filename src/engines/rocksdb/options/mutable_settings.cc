#include "src/engines/rocksdb/options/mutable_settings.h"

#include <map>
#include <utility>

#include "src/engines/rocksdb/options/former_compact.h"
#include "src/engines/rocksdb/options/option_rows.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/filter/options/formats.h"
#include "src/filter/options/option_list.h"
#include "src/support/quoted.h"
#include "src/support/taken_errors.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;

constexpr char kBloomBeforeLevel[] = "bloom_before_level";

// Sets the number of a Ribbon policy of RocksDB, which has any. Returns an empty string, or what is
// wrong.
std::string FollowBloomBeforeLevel(const ConfigOptions& config, const std::string& value,
                                   RibbonOptions ribbon_options, RocksDBFilterOptions* options) {
  int level = 0;
  const Status status =
      OptionTypeInfo(0, OptionType::kInt).Parse(config, kBloomBeforeLevel, value, &level);
  if (!status.ok()) return status.ToString();
  if (ribbon_options == RibbonOptions::kFollowed &&
      filter::RowOf(options->format).takes_bloom_level() && !options->flush_format.has_value()) {
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

// "bits_per_key=7.5;format=ribbon;"
std::string OptionString(const RocksDBFilterOptions& options, const std::string& delimiter) {
  std::string text;
  for (const OptionRow& row : AllOptionRows()) {
    const std::string value = row.text(options);
    if (row.option.writes_default || value != row.option.default_value) {
      text += row.option.name + ("=" + value) + delimiter;
    }
  }
  return text;
}

// "format=ribbon, memory=1000": what differs from the defaults. The seed may be a secret.
std::string OwnOptions(const RocksDBFilterOptions& options) {
  std::string own;
  for (const OptionRow& row : AllOptionRows()) {
    const std::string text = row.text(options);
    const std::string name = row.option.name;
    if (text == row.option.default_value || name == "seed") continue;
    own += (own.empty() ? "" : ", ") + name + "=" + text;
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

// Returns what is wrong with a value's escapes, or an empty string.
std::string Unescape(const ConfigOptions& config, const OptionMap& options, OptionMap* unescaped) {
  std::string error;
  for (const auto& [name, value] : options) {
    std::string& text = (*unescaped)[name];
    const Status status = OptionTypeInfo(0, OptionType::kString).Parse(config, name, value, &text);
    if (!status.ok()) error = status.ToString();
  }
  return error;
}

SettingsPtr WithoutFilters(const PolicySettings& settings) {
  const auto without_filters = std::make_shared<PolicySettings>(settings);
  without_filters->options.bits_per_key = 0;
  without_filters->options.bits_by_level.clear();  // they count for levels even then
  without_filters->levels = MakeLevelRules(without_filters->options, 0);
  return without_filters;
}

// How RocksDB writes and compares an option, by its text.
template <typename TextOf>  // std::string(const MutableSettings&)
OptionTypeInfo TypeInfo(OptionType type, TextOf text_of) {
  const auto text = [text_of](const void* object) {
    return text_of(*static_cast<const MutableSettings*>(object));
  };
  return OptionTypeInfo(
      0, type, OptionVerificationType::kNormal, OptionTypeFlags::kMutable,
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

SettingsPtr SettingsOfRefusal() {
  std::string unused;
  return MakeSettings(OptionsOfRefusal(), &unused);
}

MutableSettings::MutableSettings(SettingsPtr settings, RibbonOptions ribbon_options)
    : start_(std::move(settings)),
      ribbon_options_(ribbon_options),
      state_(std::make_shared<PolicyState>(PolicyState{start_, nullptr, "", "", ""})),
      awaits_text_(false) {}

MutableSettings::MutableSettings(SettingsPtr settings, const std::string& id, std::string wrong_id)
    : start_(std::move(settings)),
      ribbon_options_(RibbonOptions::kOwn),
      id_(WithoutDelimiters(id)),
      wrong_id_(std::move(wrong_id)),
      awaits_text_(true) {
  PolicyState state{start_, nullptr, "", "", ""};
  if (!wrong_id_.empty()) {
    state.settings = SettingsOfRefusal();
    state.refusal = std::make_shared<Refusal>(Refusal{wrong_id_, id_, {}});
  }
  state_ = std::make_shared<PolicyState>(std::move(state));
}

PolicyStatePtr MutableSettings::LoadState() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

const char* MutableSettings::Name() const {
  const SettingsPtr settings = Load();
  return settings->options.stock_id ? StockPolicyName(settings->options.format)
                                    : kRocksDBPolicyName;
}

std::string MutableSettings::Id() const {
  const PolicyStatePtr state = LoadState();
  return state->refusal != nullptr ? state->refusal->id : IdWith(state->settings->options);
}

Status MutableSettings::Change(const ConfigOptions& config, const OptionMap& changes,
                               OptionMap* unused) {
  PolicyStatePtr before;
  bool is_new;
  {
    const std::lock_guard lock(mutex_);
    before = state_;
    is_new = std::exchange(awaits_text_, false);
  }
  const std::shared_ptr<const Refusal> refused = before->refusal;
  OptionMap given;
  std::string error = Unescape(config, changes, &given);
  const bool has_changes = given.size() > given.count(kRefusedOptions);
  if (!is_new && !has_changes) {
    // RocksDB sets the options that there are again if it refuses another option of the table; it
    // then ignores unknown ones.
    if (refused != nullptr) return Status::InvalidArgument("bloomline", refused->reason);
    if (given.empty()) return Status::OK();
  }
  // RocksDB changes nothing in each policy that a string names without options.
  if (given.empty() && wrong_id_.empty()) return Status::OK();

  PolicyState state = *before;
  if (refused != nullptr) {
    given.emplace(kRefusedOptions, RefusedText(refused->options));
    state.settings = start_;
  }
  const std::string left_out = UnfoldRefused(&given);
  if (!wrong_id_.empty()) error = wrong_id_;
  if (error.empty()) error = Apply(config, given, unused, &state);
  std::string now = "unknown options are left out: " + left_out;
  if (error.empty()) {
    state.refusal = nullptr;
    state.skipped += (state.skipped.empty() || left_out.empty() ? "" : ", ") + left_out;
  } else if (is_new || refused != nullptr) {
    state.refusal = std::make_shared<Refusal>(Refusal{error, id_, given});
    state.settings = SettingsOfRefusal();
  } else {
    state = *before;
  }
  if (!error.empty() && given.count(kCanonicalizer) != 0) {
    state.settings = WithoutFilters(*state.settings);
  }
  if (!error.empty()) {
    now = error + "; " +
          (state.refusal != nullptr ? state.refusal->Consequence()
                                    : "the options are " + OwnOptions(state.settings->options));
  }
  if (!error.empty() || !left_out.empty()) {
    support::TakenErrors::Print("RocksDB filter policy: " + now);
  }
  {
    const std::lock_guard lock(mutex_);
    state_ = std::make_shared<PolicyState>(std::move(state));
  }
  // NotFound would tell RocksDB that it does not know this policy.
  return error.empty() ? Status::OK() : Status::InvalidArgument("bloomline", error);
}

std::string MutableSettings::Apply(const ConfigOptions& config, const OptionMap& changes,
                                   OptionMap* unused, PolicyState* state) const {
  RocksDBFilterOptions changed = state->settings->options;
  std::string skipped;
  std::string former;
  for (const auto& [name, value] :
       std::map<std::string, std::string>(changes.begin(), changes.end())) {
    const filter::PolicyOption* const option = filter::FindOption(filter::kFormerOptions, name);
    if (option != nullptr) {
      if (value != option->default_value)
        former += (former.empty() ? "" : ", ") + name + "=" + value;
      continue;
    }
    if (ribbon_options_ != RibbonOptions::kOwn && name == kBloomBeforeLevel) {
      std::string error = FollowBloomBeforeLevel(config, value, ribbon_options_, &changed);
      if (!error.empty()) return error;
      continue;
    }
    if (OptionTypes().count(name) == 0) {
      if (unused != nullptr) unused->emplace(name, value);
      if (unused == nullptr && config.ignore_unknown_options) {
        skipped += (skipped.empty() ? "" : ", ") + name;
      }
      if (unused != nullptr || config.ignore_unknown_options) continue;
    }
    std::string error = SetOption(name, value, &changed);
    if (!error.empty()) return error;
  }
  std::string compact;
  std::string error = ReplaceCompact(changes, state->settings->options.format, &changed, &compact);
  if (!error.empty()) return error;
  SettingsPtr made = MakeSettings(changed, &error);
  if (made == nullptr) return error;
  state->settings = std::move(made);
  state->skipped = std::move(skipped);
  state->compact = std::move(compact);
  state->former = std::move(former);
  return "";
}

std::string MutableSettings::Serialize(const ConfigOptions& config,
                                       const std::string& prefix) const {
  const PolicyStatePtr state = LoadState();
  const RocksDBFilterOptions& of_files = state->settings->options;
  const std::string id = state->refusal != nullptr ? state->refusal->id : IdWith(of_files);
  if (config.IsShallow()) return id;
  std::string options;
  if (state->refusal != nullptr) {
    options = SerializedRefusal(state->refusal->options, config.delimiter);
  } else {
    options = of_files.stock_id ? StockOptionString(id, config)
                                : OptionString(of_files, config.delimiter);
  }
  return options.empty() ? id : prefix + "id=" + id + config.delimiter + options;
}

// Since 9.8, RocksDB's SetOptions makes a new policy of the options that these texts have and of
// its changes. So a policy with refused options has these alone.
const MutableSettings::Types& MutableSettings::OptionTypes() {
  static const Types& types = *[] {
    auto* const all = new Types;
    for (const OptionRow& row : AllOptionRows()) {
      const auto text = [write = row.text](const MutableSettings& settings) {
        const PolicyStatePtr state = settings.LoadState();
        return state->refusal != nullptr ? "" : write(state->settings->options);
      };
      all->emplace(row.option.name, TypeInfo(row.type, text));
    }
    for (const char* const name : {kRefusedOptions, kCanonicalizer}) {
      const auto text = [name = std::string(name)](const MutableSettings& settings) {
        const PolicyStatePtr state = settings.LoadState();
        return state->refusal == nullptr ? "" : TextOfRefused(name, state->refusal->options);
      };
      all->emplace(name, TypeInfo(OptionType::kString, text));
    }
    return all;
  }();
  return types;
}

}  // namespace bloomline::engine
