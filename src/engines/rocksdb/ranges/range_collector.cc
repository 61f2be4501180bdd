#include "src/engines/rocksdb/ranges/range_collector.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <unordered_map>

#include "rocksdb/utilities/options_type.h"
#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/ranges/range_options.h"
#include "src/filter/options/formats.h"
#include "src/filter/ranges/level_memory.h"
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
      {"bits_per_key", {offsetof(RangeFilterOptions, bits_per_key), OptionType::kDouble}},
      {"format", FormatInfo()},
      {"max_bytes_per_table",
       {offsetof(RangeFilterOptions, max_bytes_per_table), OptionType::kUInt64T}}};
  return infos;
}

// Without an account of the database's files, every file gets the mean.
void SetLevel(int level, filter::RangeEntryOptions* entries) {
  const FileCreation creation = TakeFileCreationForCollector();
  const std::shared_ptr<FileAccount> account = creation.account.lock();
  if (account == nullptr) return;
  constexpr double kNoFilters = 0;  // only keys matter
  filter::TreeFill tree;
  filter::NewFilter file;
  if (!account->Describe(creation, level, kNoFilters, /*fills_bottom=*/true, &tree, &file)) return;
  entries->memory *= filter::LevelMemory(tree, level, account->MergesFlushes(creation));
  entries->is_last_level = filter::IsLastLevel(tree, level);
}

void RemarkFormer(const char* name) {
  static std::atomic<bool> is_said{false};
  if (is_said.exchange(true)) return;
  std::fprintf(stderr, "bloomline: %s of %s has no effect since bloomline 0.4\n", name,
               RangeFilter::kClassName());
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
  OptionMap known = options;
  for (const char* const former : kFormerRangeOptions) {
    if (known.erase(former) != 0) RemarkFormer(former);
  }
  const Status status = RangeFilter::ConfigureOptions(config, known, unused);
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

TablePropertiesCollector* RangeCollectors::CreateTablePropertiesCollector(
    Context context) noexcept {
  if (!error_.empty()) return new NoCollector;
  filter::RangeEntryOptions entries = entries_;
  SetLevel(context.level_at_creation, &entries);
  if (entries.is_auto) entries.sample = filter::SampledPlaces(asked_ranges_);
  return new RangeCollector(entries);
}

}  // namespace bloomline::engine

namespace bloomline {

std::shared_ptr<RangeFilter> AddRangeFilter(ROCKSDB_NAMESPACE::ColumnFamilyOptions* family,
                                            RangeFilterOptions options, std::string* error) {
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
