// The RocksDB adaptor: docs/format.md, section 5.
#include "src/engines/rocksdb/policy.h"

#include <cstdio>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>

#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/bits_reader.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/file_builder.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/engines/rocksdb/levels/level_history.h"
#include "src/engines/rocksdb/metrics/filter_origins.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/engines/rocksdb/options/policy_options.h"
#include "src/engines/rocksdb/stock/stock_reader.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/limits.h"
#include "src/filter/ranges/asked_ranges.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr char kFamilyName[] = "rocksdb.BuiltinBloomFilter";

NewFile NewFileIn(const FilterBuildingContext& context) {
  using ROCKSDB_NAMESPACE::TableFileCreationReason;
  NewFile file;
  file.level = context.level_at_creation;
  file.is_bottommost = context.is_bottommost;
  file.is_flush = context.reason == TableFileCreationReason::kFlush ||
                  context.reason == TableFileCreationReason::kRecovery;
  file.has_levels = context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel ||
                    context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleNone;
  file.num_levels = context.num_levels;
  return file;
}

// Warns of comparators that may treat keys with different bytes as equal: filters compare bytes,
// and would lose such keys. It is not an error, because RocksDB assumes this of any user's
// comparator.
class ComparatorWarning {
 public:
  void Check(const ROCKSDB_NAMESPACE::Comparator* comparator,
             ROCKSDB_NAMESPACE::Logger* log) const {
    if (comparator == nullptr || !comparator->CanKeysWithDifferentByteContentsBeEqual() ||
        IsRocksDBs(comparator->GetRootComparator()->Name())) {
      return;
    }
    const std::string warning =
        "bloomline: the comparator " + std::string(comparator->Name()) +
        " may treat keys with different bytes as equal, and filters then lose keys; if it does, "
        "use "
        "NewCanonicalRocksDBFilterPolicy, or no filter policy; if not, its "
        "CanKeysWithDifferentByteContentsBeEqual() should return false (docs/keys.md)";
    if (IsFirstOf(comparator->Name())) std::fprintf(stderr, "%s\n", warning.c_str());
    const std::lock_guard lock(mutex_);
    unlogged_ = warning;
    if (log != nullptr) LogLocked(log);
  }

  // The log does not exist yet while a database is opened.
  void Log(ROCKSDB_NAMESPACE::Logger* log) const {
    const std::lock_guard lock(mutex_);
    if (!unlogged_.empty() && log != nullptr) LogLocked(log);
  }

 private:
  static bool IsRocksDBs(std::string_view name) {
    return name.rfind("leveldb.BytewiseComparator", 0) == 0 || name.rfind("rocksdb.", 0) == 0;
  }

  // In this process.
  static bool IsFirstOf(const std::string& name) {
    static std::mutex& mutex = *new std::mutex;
    static std::set<std::string>& names = *new std::set<std::string>;
    const std::lock_guard lock(mutex);
    return names.insert(name).second;
  }

  void LogLocked(ROCKSDB_NAMESPACE::Logger* log) const {
    ROCKSDB_NAMESPACE::Warn(log, "%s", unlogged_.c_str());
    unlogged_.clear();
  }

  mutable std::mutex mutex_;
  mutable std::string unlogged_;
};

class RocksDBFilterPolicy : public FilterPolicy {
 public:
  RocksDBFilterPolicy(SettingsPtr settings, std::shared_ptr<const FilterPolicy> builtin,
                      bool takes_ribbon_options)
      : options_(std::move(settings), takes_ribbon_options), builtin_(std::move(builtin)) {
    RegisterOptions("BloomlineOptions", &options_, &PolicyOptions::OptionTypes());
  }

  // RocksDB writes it into each table's properties.
  const char* Name() const override { return options_.Name(); }
  const char* CompatibilityName() const override { return kFamilyName; }
  std::string GetId() const override { return options_.Id(); }

  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const noexcept override {
    comparator_warning_.Log(context.info_log);
    const SettingsPtr settings = options_.Load();
    const NewFile file = NewFileIn(context);
    const SeenLevels seen = history_.Add(context.column_family_name, file);
    const double bits_per_key = BitsPerKeyWithin(settings->memory, context);
    const FilterChoice choice = ChooseFilter(LoweredTo(bits_per_key, settings->levels), file, seen);
    filter::FilterCounts* const counts =
        CountsForFile(*settings->counts, context.column_family_name, file.level, choice);
    const auto no_filter = [counts](filter::UselessReason reason) {
      counts->Add(filter::Count::kNotBuilt, 1, reason);
      return nullptr;
    };
    if (choice.bits_per_key == 0) return no_filter(filter::UselessReason::kOptions);
    if (bits_per_key < settings->levels.bits_per_key) {
      counts->Add(filter::Count::kLimited, 1, filter::FilterLimit::kMemory);
    }
    if (filter::IsStock(choice.format)) {
      FilterBitsBuilder* const builder =
          NewStockFileBuilder(stock_, choice.format, choice.bits_per_key, context, counts);
      return builder != nullptr ? builder : no_filter(filter::UselessReason::kOptions);
    }
    FilterOptions options = settings->filter;
    options.format = choice.format;
    options.bits_per_key = choice.bits_per_key;
    return NewFileBuilder(*settings, options, context, NumLevelsBelow(settings->levels, file, seen),
                          *asked_ranges_, counts);
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const noexcept override {
    return NewReader(*options_.Load(), contents);
  }

  Status ValidateOptions(const ROCKSDB_NAMESPACE::DBOptions& database,
                         const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) const override {
    comparator_warning_.Check(family.comparator, database.info_log.get());
    const Status status = CheckAccount(options_.Load()->memory.bytes, database);
    return status.ok() ? FilterPolicy::ValidateOptions(database, family) : status;
  }

 protected:
  // PrepareOptions cannot check the options: SetOptions of RocksDB 7.8 does not call it, and by
  // then the options are set.
  Status ConfigureOptions(const ConfigOptions& config, const PolicyOptions::Changes& changes,
                          PolicyOptions::Changes* unused) override {
    const Status status = options_.Change(config, changes, unused);
    return status.ok() && config.invoke_prepare_options ? PrepareOptions(config) : status;
  }
  std::string SerializeOptions(const ConfigOptions& config,
                               const std::string& prefix) const override {
    return options_.Serialize(config, prefix);
  }

 private:
  FilterBitsReader* NewReader(const PolicySettings& settings, const Slice& contents) const {
    const std::string_view filter = contents.ToStringView();
    filter::FilterCounts* const counts = FindOrigin(filter, settings.counts);
    if (filter::HasTrailer(filter)) return NewRocksDBBitsReader(filter, counts, asked_ranges_);
    if (FilterBitsReader* const reader = NewStockBitsReader(filter, counts); reader != nullptr) {
      return reader;
    }
    if (HasWrongLengths(filter)) return NewRocksDBBitsReader(filter, counts);  // matches every key
    CountOtherFilter(filter, counts);
    return builtin_->GetFilterBitsReader(contents);
  }

  PolicyOptions options_;
  const ComparatorWarning comparator_warning_;
  mutable LevelHistory history_;
  const StockPolicies stock_;
  const std::shared_ptr<filter::AskedByFamily> asked_ranges_ =
      std::make_shared<filter::AskedByFamily>();
  const std::shared_ptr<const FilterPolicy> builtin_;
};

}  // namespace

std::unique_ptr<FilterPolicy> MakeRocksDBFilterPolicy(const RocksDBFilterOptions& options,
                                                      std::string* error,
                                                      bool takes_ribbon_options) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<FilterPolicy> {
    *reason = RocksDBVersionMismatch();
    if (!reason->empty()) return nullptr;
    SettingsPtr settings = MakeSettings(options, reason);
    if (settings == nullptr) return nullptr;
    // We ask by name: a preloaded library may replace NewBloomFilterPolicy by a function that ends
    // up here.
    std::shared_ptr<const FilterPolicy> builtin;
    const Status status = FilterPolicy::CreateFromString(ConfigOptions(), kFamilyName, &builtin);
    if (!status.ok()) {
      *reason = "RocksDB does not give its built-in filter reader: " + status.ToString();
      return nullptr;
    }
    return std::make_unique<RocksDBFilterPolicy>(std::move(settings), std::move(builtin),
                                                 takes_ribbon_options);
  });
}

}  // namespace bloomline
