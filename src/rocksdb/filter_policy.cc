// The RocksDB adaptor: docs/format.md, section 5.
#include "src/rocksdb/filter_policy.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>

#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_type.h"
#include "rocksdb/version.h"
#include "src/core/format.h"
#include "src/core/out_of_memory.h"
#include "src/rocksdb/bits_builder.h"
#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/slice_view.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr char kFamilyName[] = "rocksdb.BuiltinBloomFilter";

// RocksDB's convention below 1 bit per key (rocksdb/filter_policy.h).
constexpr double kNoFilterBelow = 0.5;

bool WritesFilters(double bits_per_key) { return bits_per_key >= kNoFilterBelow; }

FilterOptions Normalized(FilterOptions options) {
  if (options.bits_per_key >= 0 && options.bits_per_key < kNoFilterBelow) {
    options.bits_per_key = FilterOptions().bits_per_key;  // not used
  } else if (options.bits_per_key >= kNoFilterBelow && options.bits_per_key < kMinBitsPerKey) {
    options.bits_per_key = kMinBitsPerKey;
  }
  return options;
}

// FilterOptions that RocksDB's SetOptions may change while builders are being made in other
// threads.
struct SharedOptions {
  std::atomic<Format> format;
  std::atomic<double> bits_per_key;
  std::atomic<uint64_t> seed;

  FilterOptions Load() const {
    FilterOptions options;
    options.format = format.load(std::memory_order_relaxed);
    options.bits_per_key = bits_per_key.load(std::memory_order_relaxed);
    options.seed = seed.load(std::memory_order_relaxed);
    return options;
  }
};

Status ParseBitsPerKey(const ConfigOptions&, const std::string&, const std::string& value,
                       void* field) {
  char* end = nullptr;
  FilterOptions options;
  options.bits_per_key = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0') {
    return Status::InvalidArgument("bloomline: bits_per_key is no number", value);
  }
  const std::string error = Normalized(options).Validate();
  if (!error.empty()) return Status::InvalidArgument("bloomline", error);
  static_cast<std::atomic<double>*>(field)->store(options.bits_per_key);
  return Status::OK();
}

Status SerializeBitsPerKey(const ConfigOptions&, const std::string&, const void* field,
                           std::string* value) {
  const double bits_per_key = static_cast<const std::atomic<double>*>(field)->load();
  // The shortest of two precisions that reads back as the same number.
  char text[32];
  std::snprintf(text, sizeof(text), "%.15g", bits_per_key);
  if (std::strtod(text, nullptr) != bits_per_key) {
    std::snprintf(text, sizeof(text), "%.17g", bits_per_key);
  }
  *value = text;
  return Status::OK();
}

Status ParseFormat(const ConfigOptions&, const std::string&, const std::string& value,
                   void* field) {
  auto* format = static_cast<std::atomic<Format>*>(field);
  if (value == "blocked") {
    format->store(Format::kBlocked);
  } else if (value == "classic") {
    format->store(Format::kClassic);
  } else if (value == "compact") {
    format->store(Format::kCompact);
  } else {
    return Status::InvalidArgument("bloomline: format is '" + value +
                                   "'; allowed: blocked, compact, classic");
  }
  return Status::OK();
}

Status SerializeFormat(const ConfigOptions&, const std::string&, const void* field,
                       std::string* value) {
  *value = FormatName(static_cast<const std::atomic<Format>*>(field)->load());
  return Status::OK();
}

Status ParseSeed(const ConfigOptions&, const std::string&, const std::string& value, void* field) {
  char* end = nullptr;
  const unsigned long long seed = std::strtoull(value.c_str(), &end, 10);
  if (value.empty() || value[0] == '-' || *end != '\0') {
    return Status::InvalidArgument("bloomline: seed is '" + value + "'; allowed: 0 to 2^64 - 1");
  }
  static_cast<std::atomic<uint64_t>*>(field)->store(seed);
  return Status::OK();
}

Status SerializeSeed(const ConfigOptions&, const std::string&, const void* field,
                     std::string* value) {
  *value = std::to_string(static_cast<const std::atomic<uint64_t>*>(field)->load());
  return Status::OK();
}

template <typename T>
bool AtomicsEqual(const ConfigOptions&, const std::string& name, const void* a, const void* b,
                  std::string* mismatch) {
  const bool equal = static_cast<const std::atomic<T>*>(a)->load() ==
                     static_cast<const std::atomic<T>*>(b)->load();
  if (!equal) *mismatch = name;
  return equal;
}

const std::unordered_map<std::string, OptionTypeInfo>& OptionTypes() {
  constexpr auto kNormal = OptionVerificationType::kNormal;
  constexpr auto kMutable = OptionTypeFlags::kMutable;
  static const auto& types = *new std::unordered_map<std::string, OptionTypeInfo>{
      {"bits_per_key",
       {offsetof(SharedOptions, bits_per_key), OptionType::kDouble, kNormal, kMutable,
        ParseBitsPerKey, SerializeBitsPerKey, AtomicsEqual<double>}},
      {"format",
       {offsetof(SharedOptions, format), OptionType::kString, kNormal, kMutable, ParseFormat,
        SerializeFormat, AtomicsEqual<Format>}},
      {"seed",
       {offsetof(SharedOptions, seed), OptionType::kUInt64T, kNormal, kMutable, ParseSeed,
        SerializeSeed, AtomicsEqual<uint64_t>}},
  };
  return types;
}

class RocksDBFilterPolicy : public FilterPolicy {
 public:
  RocksDBFilterPolicy(const FilterOptions& options, std::shared_ptr<const FilterPolicy> builtin)
      : options_{{options.format}, {options.bits_per_key}, {options.seed}},
        builtin_(std::move(builtin)) {
    RegisterOptions("BloomlineOptions", &options_, &OptionTypes());
  }

  const char* Name() const override { return kRocksDBPolicyName; }
  const char* CompatibilityName() const override { return kFamilyName; }

  // Each option is checked as it is parsed; here, that they go together.
  Status PrepareOptions(const ConfigOptions& config) override {
    const std::string error = Normalized(options_.Load()).Validate();
    if (!error.empty()) return Status::InvalidArgument("bloomline", error);
    return FilterPolicy::PrepareOptions(config);
  }

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    const FilterOptions options = options_.Load();
    if (!WritesFilters(options.bits_per_key)) return nullptr;
    auto* const builder = new (std::nothrow)
        RocksDBBitsBuilder(Normalized(options), context.info_log,
                           context.table_options.detect_filter_construct_corruption);
    if (builder == nullptr) LogOutOfMemory(context.info_log, "a file gets no filter");
    return builder;
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    const std::string_view filter = View(contents);
    // Stock writes nothing of 1 to 5 bytes, yet answers "no" to them; such bytes are damage.
    constexpr size_t kStockTrailerBytes = 5;
    const bool damaged = !filter.empty() && filter.size() <= kStockTrailerBytes;
    if (damaged || core::HasTrailer(filter)) return NewRocksDBBitsReader(filter);
    // Null, as there: RocksDB then takes it that any key may match.
    return core::OrIfOutOfMemory<FilterBitsReader*>(
        nullptr, [&] { return builtin_->GetFilterBitsReader(contents); });
  }

 private:
  SharedOptions options_;
  const std::shared_ptr<const FilterPolicy> builtin_;
};

// The internal interface changes between minor versions; calling through the wrong one is
// undefined.
std::string VersionMismatch() {
  const std::string compiled = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string running = ROCKSDB_NAMESPACE::GetRocksVersionAsString(false);
  if (running == compiled) return "";
  return "compiled for RocksDB " + compiled + " but running with " + running +
         "; rebuild bloomline against the running version";
}

}  // namespace

std::unique_ptr<FilterPolicy> MakeRocksDBFilterPolicy(const FilterOptions& options,
                                                      std::string* error) {
  return core::OrError(error, [&](std::string* reason) -> std::unique_ptr<FilterPolicy> {
    *reason = VersionMismatch();
    if (reason->empty()) *reason = Normalized(options).Validate();
    if (!reason->empty()) return nullptr;
    // By name, because a drop-in library may stand in for NewBloomFilterPolicy and lead back here.
    std::shared_ptr<const FilterPolicy> builtin;
    const Status status = FilterPolicy::CreateFromString(ConfigOptions(), kFamilyName, &builtin);
    if (!status.ok()) {
      *reason = "RocksDB does not give its built-in filter reader: " + status.ToString();
      return nullptr;
    }
    return std::make_unique<RocksDBFilterPolicy>(options, std::move(builtin));
  });
}

}  // namespace bloomline
