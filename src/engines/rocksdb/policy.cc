// The RocksDB adaptor: docs/format.md, section 5.
#include "src/engines/rocksdb/policy.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/builder/bits_builder.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/layout_check.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/engines/rocksdb/options/former_compact.h"
#include "src/engines/rocksdb/options/mutable_settings.h"
#include "src/engines/rocksdb/options/opening_remarks.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/engines/rocksdb/reader/bits_reader.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/filter/container/policy_names.h"
#include "src/filter/container/trailer.h"
#include "src/filter/options/formats.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::engine {
namespace {

NewFile NewFileIn(const FilterBuildingContext& context) {
  using ROCKSDB_NAMESPACE::TableFileCreationReason;
  NewFile file;
  file.level = context.level_at_creation;
  file.is_bottommost = context.is_bottommost;
  file.is_flush = context.reason == TableFileCreationReason::kFlush;
  file.is_recovered = context.reason == TableFileCreationReason::kRecovery;
  const ROCKSDB_NAMESPACE::CompactionStyle style = context.compaction_style;
  file.has_levels = style == ROCKSDB_NAMESPACE::kCompactionStyleLevel ||
                    style == ROCKSDB_NAMESPACE::kCompactionStyleNone;
  file.is_compacted_later = style == ROCKSDB_NAMESPACE::kCompactionStyleLevel ||
                            style == ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  // An account that is left in the thread of an SstFileWriter belongs to another file.
  file.is_of_database = context.reason != TableFileCreationReason::kMisc;
  return file;
}

// A builder that queries each finished filter for all of its keys. It keeps a copy
// of their hashes for that, so it also notices if a hash changes in memory before the filter is
// built. Cost: 8 bytes per key and a query per key.
class VerifiedBuilder : public RocksDBBitsBuilder {
 public:
  using RocksDBBitsBuilder::RocksDBBitsBuilder;

  void AddKey(const Slice& key) noexcept override {
    added_.push_back(Hash(key));
    RocksDBBitsBuilder::AddKey(key);
  }

  void AddKeyAndAlt(const Slice& key, const Slice& alt) noexcept BLOOMLINE_OVERRIDE_SINCE_9_6 {
    added_.push_back(Hash(key));
    added_.push_back(Hash(alt));
    RocksDBBitsBuilder::AddKeyAndAlt(key, alt);
  }

  Status MaybePostVerify(const Slice& filter) noexcept override {
    const filter::OpenFilter open =
        filter::Opened(filter::DecodeTrailer(filter.ToStringView()), kernels::ActiveKernel());
    size_t num_lost = 0;
    for (const uint64_t hash : finished_) num_lost += open.may_match(open, hash) ? 0 : 1;
    if (num_lost == 0) return Status::OK();
    return Status::Corruption("bloomline: Corrupted filter content: the finished filter lost " +
                              std::to_string(num_lost) + " of " + std::to_string(finished_.size()) +
                              " keys");
  }

 protected:
  Slice Build(std::unique_ptr<const char[]>* buf, Status* status, BuildFacts* facts) override {
    finished_ = std::move(added_);
    added_.clear();
    return RocksDBBitsBuilder::Build(buf, status, facts);
  }

 private:
  std::vector<uint64_t> added_;     // to the next filter
  std::vector<uint64_t> finished_;  // hashes of the last filter
};

// Returns a builder of bloomline's filters. It checks them if the options of the table say so.
RocksDBBitsBuilder* NewBitsBuilder(const FilterBuildingContext& context,
                                   const FilterOptions& options, filter::FilterCounts* counts) {
  if (context.table_options.detect_filter_construct_corruption) {
    return new VerifiedBuilder(options, context.info_log, counts);
  }
  return new RocksDBBitsBuilder(options, context.info_log, counts);
}

// The Bloom filters before a level are those of RocksDB's Ribbon policy.
StockFile StockFileOf(const LevelRules& rules, const FilterChoice& choice) {
  const bool is_of_ribbon = rules.bloom_before_level >= 0;
  return {is_of_ribbon ? Format::kRibbon : choice.format, choice.format, choice.bits_per_key,
          rules.bloom_before_level};
}

class RocksDBFilterPolicy : public FilterPolicy {
 public:
  // The arguments of MutableSettings.
  template <typename... Arguments>
  explicit RocksDBFilterPolicy(Arguments&&... arguments)
      : settings_(std::forward<Arguments>(arguments)...) {
    RegisterOptions("BloomlineOptions", &settings_, &MutableSettings::OptionTypes());
  }

  // RocksDB writes it into each table's properties.
  const char* Name() const override { return settings_.Name(); }
  const char* CompatibilityName() const override { return filter::kRocksDBName.data(); }
  std::string GetId() const override { return settings_.Id(); }

  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const noexcept override {
    const PolicyStatePtr state = settings_.LoadState();
    const PolicySettings& settings = *state->settings;
    const NewFile file = NewFileIn(context);
    // By every policy: otherwise the thread keeps it for a file of another database.
    const FileCreation creation = TakeFileCreation(file.level);
    const SeenLevels seen = history_.Add(context.column_family_name, context.info_log, file);
    const FilterChoice choice = settings.ChooseFor(file, creation, seen);
    WriteRemarks(*state, context, file, choice);
    NewFileCounts counts(*settings.counts, context.column_family_name, file.level, choice.format,
                         choice.bits_per_key);
    FilterBitsBuilder* const builder = NewBuilder(settings, choice, context, counts.of_file());
    counts.Count(builder != nullptr, choice.is_limited);
    return builder;
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const noexcept override {
    const std::string_view filter = contents.ToStringView();
    filter::FilterCounts* const counts = FindOrigin(filter, settings_.Load()->counts);
    bool is_former_compact;
    FilterBitsReader* const reader = NewRocksDBBitsReader(filter, counts, &is_former_compact);
    if (is_former_compact && awaits_former_compact_.exchange(false, std::memory_order_relaxed)) {
      remarks_.Add(FormerCompactRemark(), nullptr);
    }
    return reader;
  }

  Status ValidateOptions(const ROCKSDB_NAMESPACE::DBOptions& database,
                         const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) const override {
    const PolicyStatePtr state = settings_.LoadState();
    // In a program, the options may have these members elsewhere, so the first file after this
    // writes the remarks to LOG.
    awaits_first_file_.store(true, std::memory_order_relaxed);
    awaits_former_compact_.store(true, std::memory_order_relaxed);
    Logger* const log = kIsForProgram ? nullptr : database.info_log.get();
    remarks_.Add(ComparatorWarning(ComparatorOf(family)), log);
    AddRemarksOnOptions(*state, log);
    if (state->refusal != nullptr) {
      return Status::InvalidArgument("bloomline", state->refusal->reason);
    }
    const PolicySettings& settings = *state->settings;
    Status status;
    if (settings.levels.rule == LevelRules::Rule::kAuto && KnowsListeners()) {
      status = CheckAccount(settings.options.memory_bytes, database);
    }
    return status.ok() ? FilterPolicy::ValidateOptions(database, family) : status;
  }

 protected:
  // PrepareOptions cannot check the options: SetOptions of RocksDB 7.8 does not call it, and by
  // then the options are set.
  Status ConfigureOptions(const ConfigOptions& config, const OptionMap& changes,
                          OptionMap* unused) override {
    const Status status = settings_.Change(config, changes, unused);
    // Not every way to a file leads through ValidateOptions.
    AddRemarksOnOptions(*settings_.LoadState(), nullptr);
    return status.ok() && config.invoke_prepare_options ? PrepareOptions(config) : status;
  }
  std::string SerializeOptions(const ConfigOptions& config,
                               const std::string& prefix) const override {
    return settings_.Serialize(config, prefix);
  }

 private:
  void AddRemarksOnOptions(const PolicyState& state, Logger* log) const {
    remarks_.Add(SkippedRemark(state.skipped), log);
    remarks_.Add(FormerRemark(state.former), log);
    remarks_.Add(CompactRemark(state.compact), log);
  }

  void WriteRemarks(const PolicyState& state, const FilterBuildingContext& context,
                    const NewFile& file, const FilterChoice& choice) const {
    using Missing = FilterChoice::Missing;
    const PolicySettings& settings = *state.settings;
    Logger* const log = context.info_log;
    const bool lacks_account = choice.missing == Missing::kAccount;
    if (file.is_of_database && !file.is_recovered && settings.levels.bits_per_key != 0 &&
        awaits_first_file_.exchange(false, std::memory_order_relaxed)) {
      remarks_.Add(LevelsRemark(settings.levels, context.compaction_style, !lacks_account),
                   nullptr);
    }
    if (choice.missing == Missing::kDatabase && awaits_no_database_.exchange(false)) {
      remarks_.Add(NoDatabaseRemark(log), nullptr);
    }
    remarks_.WriteTo(log);
    if (state.refusal != nullptr) LogRefusal(*state.refusal, log);
    if (lacks_account && settings.options.memory_bytes != 0 && choice.bits_per_key != 0) {
      ROCKSDB_NAMESPACE::Warn(log,
                              "bloomline: a file is written without the limit of memory, because "
                              "there is no FilterAccount among the listeners of the database");
    }
  }

  // Null: the file gets no filter.
  FilterBitsBuilder* NewBuilder(const PolicySettings& settings, const FilterChoice& choice,
                                const FilterBuildingContext& context,
                                filter::FilterCounts* counts) const {
    if (choice.bits_per_key == 0) return nullptr;
    if (filter::IsStock(choice.format)) {
      return stock_.NewBuilder(StockFileOf(settings.levels, choice), context, counts);
    }
    FilterOptions options = settings.options;
    options.format = choice.format;
    options.bits_per_key = choice.bits_per_key;
    RocksDBBitsBuilder* const builder = NewBitsBuilder(context, options, counts);
    builder->UseTableOptions(context.table_options);
    builder->LimitFilterBytes(settings.options.max_filter_bytes);
    return builder;
  }

  // With each file: its filter is not what the user asked for.
  static void LogRefusal(const Refusal& refusal, Logger* log) {
    if (log == nullptr) return;
    ROCKSDB_NAMESPACE::Warn(
        log, "bloomline: the filter policy %s has options that are refused: %s; %s",
        refusal.id.c_str(), refusal.reason.c_str(), refusal.Consequence().c_str());
  }

  MutableSettings settings_;
  const OpeningRemarks remarks_;
  mutable std::atomic<bool> awaits_first_file_{true};      // of a database, since it was opened
  mutable std::atomic<bool> awaits_former_compact_{true};  // and no filter of it was opened
  mutable std::atomic<bool> awaits_no_database_{true};     // no limited file without a database yet
  mutable LevelHistory history_;
  const StockPolicies stock_;
};

}  // namespace

std::unique_ptr<FilterPolicy> MakeRocksDBFilterPolicy(const RocksDBFilterOptions& options,
                                                      std::string* error,
                                                      RibbonOptions ribbon_options) {
  *error = RocksDBMismatch();
  if (!error->empty()) return nullptr;
  SettingsPtr settings = MakeSettings(options, error);
  if (settings == nullptr) return nullptr;
  return std::make_unique<RocksDBFilterPolicy>(std::move(settings), ribbon_options);
}

std::unique_ptr<FilterPolicy> MakeNamedRocksDBFilterPolicy(
    const std::string& id, std::optional<std::string_view> bits_per_key, std::string wrong_id) {
  SettingsPtr settings;
  if (wrong_id.empty()) settings = ParseSettings(bits_per_key, &wrong_id);
  if (settings == nullptr) settings = SettingsOfRefusal();
  return std::make_unique<RocksDBFilterPolicy>(std::move(settings), id, std::move(wrong_id));
}

}  // namespace bloomline::engine
