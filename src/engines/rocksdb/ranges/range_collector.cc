#include "src/engines/rocksdb/ranges/range_collector.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <unordered_map>

#include "rocksdb/utilities/options_type.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/ranges/range_options.h"
#include "src/filter/options/formats.h"
#include "src/filter/ranges/range_property.h"
#include "src/support/quoted.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::EntryType;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::SequenceNumber;
using ROCKSDB_NAMESPACE::TablePropertiesCollector;
using ROCKSDB_NAMESPACE::UserCollectedProperties;

// Gathers the keys of one table. Without memory, the table gets no filter, and is never skipped.
class RangeCollector final : public TablePropertiesCollector {
 public:
  explicit RangeCollector(const filter::RangeEntryOptions& options) : entries_(options) {}

  Status AddUserKey(const Slice& key, const Slice&, EntryType type, SequenceNumber,
                    uint64_t) noexcept override {
    // RocksDB reads the range tombstones of skipped tables all the same. They come behind all keys.
    // Whatever else there is hides or changes keys of other tables, so its key counts.
    if (type == ROCKSDB_NAMESPACE::kEntryRangeDeletion || !is_usable_) return Status::OK();
    if (is_finished_) {
      // The filter lacks this key.
      is_usable_ = false;
      value_.clear();
      return Status::OK();
    }
    try {
      entries_.Add(key.ToStringView());
    } catch (const std::bad_alloc&) {
      is_usable_ = false;
    }
    return Status::OK();
  }

  // RocksDB 7.8 calls this twice: for the table, and for what listeners and its log get.
  Status Finish(UserCollectedProperties* properties) noexcept override {
    try {
      if (is_usable_ && !is_finished_) value_ = entries_.Finish();
      is_finished_ = true;
      if (!value_.empty()) (*properties)[filter::kRangeProperty] = value_;
    } catch (const std::bad_alloc&) {
      is_usable_ = false;
      value_.clear();
    }
    return Status::OK();
  }

  const char* Name() const override { return RangeFilter::kClassName(); }
  // These go into LOG, where the bytes say nothing.
  UserCollectedProperties GetReadableProperties() const override { return {}; }

 private:
  filter::RangeEntries entries_;
  std::string value_;
  bool is_usable_ = true;
  bool is_finished_ = false;
};

// Of a factory whose options are wrong.
class NoCollector final : public TablePropertiesCollector {
 public:
  Status AddUserKey(const Slice&, const Slice&, EntryType, SequenceNumber,
                    uint64_t) noexcept override {
    return Status::OK();
  }
  Status Finish(UserCollectedProperties*) noexcept override { return Status::OK(); }
  const char* Name() const override { return RangeFilter::kClassName(); }
  UserCollectedProperties GetReadableProperties() const override { return {}; }
};

OptionTypeInfo FormatInfo() {
  return OptionTypeInfo(
      offsetof(RangeFilterOptions, format), OptionType::kUnknown, OptionVerificationType::kNormal,
      OptionTypeFlags::kNone,
      [](const ConfigOptions&, const std::string& name, const std::string& value, void* to) {
        // What versions before 0.4.0 wrote in place of ribbon.
        if (value == FormatName(Format::kCompact)) {
          *static_cast<Format*>(to) = Format::kRibbon;
          return Status::OK();
        }
        for (const Format format : {Format::kBlocked, Format::kRibbon}) {
          if (value != FormatName(format)) continue;
          *static_cast<Format*>(to) = format;
          return Status::OK();
        }
        return Status::InvalidArgument(
            "bloomline", name + " is " + support::Quoted(value) + "; allowed: blocked, ribbon");
      },
      [](const ConfigOptions&, const std::string&, const void* from, std::string* value) {
        *value = FormatName(*static_cast<const Format*>(from));
        return Status::OK();
      },
      [](const ConfigOptions&, const std::string& name, const void* a, const void* b,
         std::string* mismatch) {
        if (*static_cast<const Format*>(a) == *static_cast<const Format*>(b)) return true;
        *mismatch = name;
        return false;
      });
}

using OptionInfos = std::unordered_map<std::string, OptionTypeInfo>;

const OptionInfos& RangeOptionInfos() {
  static const auto& infos = *new OptionInfos{
      {"prefixes", {offsetof(RangeFilterOptions, prefixes), OptionType::kString}},
      {"memory_percent", {offsetof(RangeFilterOptions, memory_percent), OptionType::kDouble}},
      {"level_size_ratio", {offsetof(RangeFilterOptions, level_size_ratio), OptionType::kDouble}},
      {"bits_per_key", {offsetof(RangeFilterOptions, bits_per_key), OptionType::kDouble}},
      {"format", FormatInfo()},
      {"max_bytes_per_table",
       {offsetof(RangeFilterOptions, max_bytes_per_table), OptionType::kUInt64T}}};
  return infos;
}

}  // namespace

RangeCollectors::RangeCollectors(const RangeFilterOptions& options)
    : options_(options), of_process_(filter::CountsFor({"rocksdb", kClassName(), "", -1})) {
  RegisterOptions("BloomlineRangeOptions", &options_, &RangeOptionInfos());
  ReadOptions();
}

void RangeCollectors::ReadOptions() {
  filter::RangeEntryOptions entries;
  error_ = ReadRangeFilterOptions(options_, &entries);
  // In an option string, RocksDB takes a colon for the end of this collector.
  std::replace(options_.prefixes.begin(), options_.prefixes.end(), ':', ',');
  entries_ = entries;
}

Status RangeCollectors::ConfigureOptions(const ConfigOptions& config, const OptionMap& options,
                                         OptionMap* unused) {
  const Status status = RangeFilter::ConfigureOptions(config, options, unused);
  if (!status.ok()) return status;
  ReadOptions();
  return error_.empty() ? Status::OK() : Status::InvalidArgument("bloomline", error_);
}

const void* RangeCollectors::GetOptionsPtr(const std::string& name) const {
  return name == kOwnName ? this : RangeFilter::GetOptionsPtr(name);
}

RangeFilter::Counts RangeCollectors::counts() const {
  Counts counts;
  counts.tables_skipped = num_skipped_.load(std::memory_order_relaxed);
  counts.tables_asked = counts.tables_skipped + num_read_.load(std::memory_order_relaxed);
  return counts;
}

// RocksDB says the level, but not which levels have tables. Those that tables were made for have
// some: unlike a table that is moved down unchanged, one that is made there was merged with others.
// If flushed tables are only moved down, as with keys in order, all of them become the last level.
int RangeCollectors::NumLevelsBelow(int level) {
  constexpr auto kUnordered = std::memory_order_relaxed;
  // RocksDB stops writes at 36 files in level 0 (level0_stop_writes_trigger) unless compactions
  // take them away.
  constexpr int kFlushesPerMerge = 32;
  if (level < 0 || level >= 64) return 0;
  const uint64_t levels = levels_.fetch_or(uint64_t{1} << level, kUnordered);
  if (level > 0) {
    trusted_flushes_.store(kFlushesPerMerge, kUnordered);
  } else if (trusted_flushes_.load(kUnordered) <= 0 ||
             trusted_flushes_.fetch_sub(1, kUnordered) <= 0) {
    return 0;
  }
  return __builtin_popcountll(levels >> level >> 1);
}

TablePropertiesCollector* RangeCollectors::CreateTablePropertiesCollector(
    Context context) noexcept {
  if (!error_.empty()) return new NoCollector;
  filter::RangeEntryOptions entries = entries_;
  entries.num_levels_below = NumLevelsBelow(context.level_at_creation);
  if (entries.is_auto) entries.sample = filter::SampledPlaces(asked_ranges_);
  return new RangeCollector(entries);
}

}  // namespace bloomline::engine

namespace bloomline {

std::shared_ptr<RangeFilter> AddRangeFilter(ROCKSDB_NAMESPACE::ColumnFamilyOptions* family,
                                            RangeFilterOptions options, std::string* error) {
  if (options.level_size_ratio == 0 &&
      family->compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel) {
    options.level_size_ratio =
        std::clamp(family->max_bytes_for_level_multiplier, engine::kLeastLevelSizeRatio,
                   engine::kMostLevelSizeRatio);
  }
  const std::shared_ptr<RangeFilter> filter = NewRangeFilter(options, error);
  if (filter != nullptr) family->table_properties_collector_factories.push_back(filter);
  return filter;
}

std::shared_ptr<RangeFilter> FindRangeFilter(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& options) {
  for (const auto& factory : options.table_properties_collector_factories) {
    if (factory == nullptr) continue;
    auto* const found =
        factory->GetOptions<engine::RangeCollectors>(engine::RangeCollectors::kOwnName);
    if (found != nullptr) return std::shared_ptr<RangeFilter>(factory, found);
  }
  return nullptr;
}

}  // namespace bloomline
