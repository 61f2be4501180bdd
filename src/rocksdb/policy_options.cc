#include "src/rocksdb/policy_options.h"

#include <cstdio>

#include "bloomline/seed.h"
#include "rocksdb/customizable.h"
#include "src/errors/number_text.h"
#include "src/errors/out_of_memory.h"
#include "src/format/trailer.h"
#include "src/rocksdb/filter_policy.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Customizable;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Status;

constexpr double kNoFilterBelow = 0.5;

std::string RangeText(Format format) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return core::DoubleText(allowed.min) + " to " + core::DoubleText(allowed.max);
}

std::string ParseFormat(const std::string& value, FilterOptions* options) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    if (value != FormatName(format)) continue;
    options->format = format;
    return "";
  }
  return "format is '" + value + "'; allowed: blocked, compact";
}

// What OPTIONS files say for random_seed. The seeds themselves are in the filters alone.
constexpr char kRandomSeed[] = "random";

std::string ParseSeed(const std::string& value, FilterOptions* options) {
  options->random_seed = value == kRandomSeed;
  if (options->random_seed) {
    options->seed = 0;
    return "";
  }
  if (core::ParseUint64(value, &options->seed)) return "";
  return "seed is '" + value + "'; allowed: 0 to 2^64 - 1, random";
}

std::string BitsPerKeyText(const FilterOptions& options) {
  return core::DoubleText(options.bits_per_key);
}

std::string FormatText(const FilterOptions& options) { return FormatName(options.format); }

std::string SeedText(const FilterOptions& options) {
  return options.random_seed ? kRandomSeed : std::to_string(options.seed);
}

using Parser = std::string (*)(const std::string& value, FilterOptions* options);
using Writer = std::string (*)(const FilterOptions& options);

void Complain(std::string_view message) {
  std::fprintf(stderr, "bloomline: %.*s\n", static_cast<int>(message.size()), message.data());
}

}  // namespace

bool WritesFilters(const FilterOptions& options) { return options.bits_per_key >= kNoFilterBelow; }

FilterOptions Normalized(FilterOptions options) {
  if (options.bits_per_key >= 0 && options.bits_per_key < kNoFilterBelow) {
    options.bits_per_key = FilterOptions().bits_per_key;  // valid, and not used
  } else if (options.bits_per_key >= kNoFilterBelow && options.bits_per_key < kMinBitsPerKey) {
    options.bits_per_key = kMinBitsPerKey;
  }
  return options;
}

std::string ParseBitsPerKey(const std::string& value, FilterOptions* options) {
  if (core::ParseDouble(value, &options->bits_per_key)) return "";
  return "bits_per_key is '" + value + "'; allowed: " + RangeText(Format::kBlocked) +
         ", in format compact " + RangeText(Format::kCompact);
}

// RocksDB sets options one by one, on the object itself. A draft is an object that no other thread
// sees.
class PolicyOptions::Draft : public Customizable {
 public:
  explicit Draft(const FilterOptions& options) : options_(options) {
    options_.is_draft_ = true;
    RegisterOptions("BloomlineOptions", &options_, &OptionTypes());
  }
  const char* Name() const override { return kRocksDBPolicyName; }
  using Customizable::SerializeOptions;
  const FilterOptions& options() const { return options_.options_; }

 private:
  PolicyOptions options_;
};

FilterOptions PolicyOptions::Load() const {
  const std::lock_guard lock(mutex_);
  return options_;
}

Status PolicyOptions::Change(const ConfigOptions& config, const Changes& changes, Changes* unused) {
  Status status = core::OrIfOutOfMemory(Status::MemoryLimit(), [&] {
    const std::string error = TryChange(config, changes, unused);
    if (error.empty()) return Status::OK();
    const FilterOptions kept = Load();
    Complain("RocksDB filter policy: " + error + "; the options stay format=" + FormatText(kept) +
             ";bits_per_key=" + BitsPerKeyText(kept));
    // Not NotFound for unknown names: RocksDB would conclude that it does not know this policy.
    return Status::InvalidArgument("bloomline", error);
  });
  if (status.IsMemoryLimit()) {
    Complain("RocksDB filter policy: out of memory; the options stay as they are");
  }
  return status;
}

std::string PolicyOptions::TryChange(const ConfigOptions& config, const Changes& changes,
                                     Changes* unused) {
  const std::lock_guard lock(mutex_);
  Draft draft(options_);
  ConfigOptions strict = config;
  strict.ignore_unknown_options = false;  // else RocksDB ignores bad values, too
  strict.invoke_prepare_options = false;
  Changes unknown;
  const Status status = draft.ConfigureFromMap(strict, changes, &unknown);
  if (!status.ok()) return status.getState() == nullptr ? status.ToString() : status.getState();
  if (unused != nullptr) {
    unused->insert(unknown.begin(), unknown.end());
  } else if (!unknown.empty() && !config.ignore_unknown_options) {
    return "there is no option '" + unknown.begin()->first +
           "'; allowed: bits_per_key, format, seed";
  }
  const std::string error = core::ValidateForTrailer(Normalized(draft.options()));
  if (!error.empty()) {
    return std::string("in format ") + FormatName(draft.options().format) + ", " + error;
  }
  // As when a policy is made: builders cannot fail.
  uint64_t unused_seed;
  std::string failure;
  if (draft.options().random_seed && !DrawSeed(&unused_seed, &failure)) return failure;
  options_ = draft.options();
  return "";
}

std::string PolicyOptions::Serialize(const ConfigOptions& config, const std::string& prefix) const {
  std::string text = core::OrIfOutOfMemory(
      std::string(), [&] { return Draft(Load()).SerializeOptions(config, prefix); });
  if (!text.empty()) return text;
  Complain("RocksDB filter policy: out of memory; its options are not written, only its name");
  return kRocksDBPolicyName;
}

const PolicyOptions::Types& PolicyOptions::OptionTypes() {
  const auto type_info = [](OptionType type, Parser parse, Writer write) {
    const auto text = [write](const void* object) {
      return write(static_cast<const PolicyOptions*>(object)->Load());
    };
    return OptionTypeInfo(
        0, type, OptionVerificationType::kNormal, OptionTypeFlags::kMutable,
        [parse](const ConfigOptions&, const std::string&, const std::string& value, void* object) {
          return core::OrIfOutOfMemory(Status::MemoryLimit(), [&] {
            const std::string error = parse(value, &static_cast<PolicyOptions*>(object)->options_);
            return error.empty() ? Status::OK() : Status::InvalidArgument(error);
          });
        },
        [text](const ConfigOptions&, const std::string&, const void* object, std::string* value) {
          const auto serialize = [&] {
            *value = text(object);
            return Status::OK();
          };
          // A failure here makes RocksDB assert, or leave the option out. So a draft throws, and
          // Serialize catches.
          if (static_cast<const PolicyOptions*>(object)->is_draft_) return serialize();
          return core::OrIfOutOfMemory(Status::MemoryLimit(), serialize);
        },
        [text](const ConfigOptions&, const std::string& name, const void* a, const void* b,
               std::string* mismatch) {
          const bool equal = core::OrIfOutOfMemory(false, [&] { return text(a) == text(b); });
          if (!equal) core::SetError(name, mismatch);
          return equal;
        });
  };
  static const Types& types = *new Types{
      {"bits_per_key", type_info(OptionType::kDouble, ParseBitsPerKey, BitsPerKeyText)},
      {"format", type_info(OptionType::kString, ParseFormat, FormatText)},
      {"seed", type_info(OptionType::kUInt64T, ParseSeed, SeedText)},
  };
  return types;
}

}  // namespace bloomline
