#include "src/engines/rocksdb/rewrite/filter_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>

#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_reader.h"
#include "src/engines/rocksdb/budget/account_listener.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/table_plan.h"
#include "src/filter/container/table_bytes.h"
#include "src/filter/metrics/sampling.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::TableProperties;

// Bits per key depend on the number of keys. Above this number they change by less than 0.2 %, but
// in RocksDB's Ribbon filters by 0.8 % for each doubling. A sample takes 2 to 12 ms.
constexpr uint64_t kMaxSampleKeys = 1 << 18;
constexpr char kWholeKeyProperty[] = "rocksdb.block.based.table.whole.key.filtering";

std::string KindIn(std::string_view filter) {
  const filter::Payload payload = filter::DecodeTableBytes(filter);
  const filter::LayoutRow& row = filter::LayoutRowFor(payload.layout);
  std::string kind = row.long_name;
  const bool has_trailer = row.trailer_shape != nullptr;
  if (has_trailer && filter.size() > payload.payload_bytes() + filter::EndBytes(payload)) {
    kind += ", ranges";  // entries of releases before 0.3, which nothing queries
  }
  return kind;
}

// Notes the largest filter of one file. Makes no reader, which means "may match" to RocksDB.
class NotingPolicy : public FilterPolicy {
 public:
  explicit NotingPolicy(const FilterPolicy* policy) : policy_(*policy) {}
  const char* Name() const override { return policy_.Name(); }
  const char* CompatibilityName() const override { return policy_.CompatibilityName(); }
  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext&) const override {
    return nullptr;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    ++num_filters_;
    sum_of_bytes_ += contents.size();
    if (contents.size() > bytes_) {
      bytes_ = contents.size();
      kind_ = KindIn(contents.ToStringView());
    }
    return nullptr;
  }

  uint64_t num_filters() const { return num_filters_; }
  uint64_t largest_bytes() const { return bytes_; }
  uint64_t sum_of_bytes() const { return sum_of_bytes_; }
  const std::string& kind() const { return kind_; }

 private:
  const FilterPolicy& policy_;
  mutable uint64_t num_filters_ = 0;
  mutable uint64_t bytes_ = 0;
  mutable uint64_t sum_of_bytes_ = 0;
  mutable std::string kind_ = FileFilter().kind;
};

// Whether the number of keys in the filter is known. For a partition, it is an estimate.
bool IsExact(const FileFilter& filter) { return filter.num_partitions == 1; }

double BitsPerKey(uint64_t bytes, uint64_t keys) {
  return keys == 0 ? 0 : 8 * static_cast<double>(bytes) / static_cast<double>(keys);
}

// How far a filter's bits per key may be from the wanted ones.
double ToleratedBits(const FileFilter& filter, double wanted_bits, SizeRounding rounding) {
  // The wanted bits may be those of a sample (kMaxSampleKeys).
  constexpr double kShareOfSamples = 0.02;
  // jemalloc's sizes are up to a quarter apart: at 9.9 bits, 150 filters of 2^18 to 2^21 keys had
  // 0.9 % less to 22.9 % more than the sample, at 10 bits 16.7 % less to 3.8 % more. With half of
  // this share, 23 and 27 of them would be rewritten each time. Double would take 5 bits for 10.
  constexpr double kShareOfFewSizes = 0.25;
  double share = kShareOfSamples;
  if (rounding == SizeRounding::kFewSizes) share += kShareOfFewSizes;
  // Filters have whole blocks. An estimated number of keys, or the allocator, can add one more.
  constexpr double kBlockBits = 8 * 64;
  const bool is_exact = IsExact(filter) && rounding == SizeRounding::kBlocks;
  double bits_of_partition = (is_exact ? 1 : 2) * kBlockBits;
  constexpr uint64_t kPagesFrom = 64 << 10;  // glibc rounds to pages from 128 KiB on
  constexpr double kPageBits = 8 * 4096;
  if (rounding != SizeRounding::kBlocks && filter.bytes >= kPagesFrom * filter.num_partitions) {
    bits_of_partition += kPageBits;
  }
  const double keys = 8 * static_cast<double>(filter.bytes) / filter.bits_per_key;
  const double keys_of_partition = keys / static_cast<double>(filter.num_partitions);
  return share * wanted_bits + bits_of_partition / keys_of_partition;
}

bool FiltersWholeKeys(const TableProperties& properties) {
  const auto found = properties.user_collected_properties.find(kWholeKeyProperty);
  return found == properties.user_collected_properties.end() || found->second == "1";
}

}  // namespace

bool HasOtherFilter(const FileFilter& filter, const FileFilter& wanted, SizeRounding rounding) {
  if (filter.kind != wanted.kind) return true;
  const double bits = filter.bits_per_key;
  const double wanted_bits = wanted.bits_per_key;
  if (bits <= 0 || wanted_bits <= 0) return (bits > 0) != (wanted_bits > 0);
  const double tolerated = ToleratedBits(filter, wanted_bits, rounding);
  return bits < wanted_bits - tolerated || bits > wanted_bits + tolerated;
}

std::unique_ptr<TableProbe> TableProbe::New(const Options& options, std::string* error) {
  const auto* const table = options.table_factory == nullptr
                                ? nullptr
                                : options.table_factory->GetOptions<BlockBasedTableOptions>();
  if (table == nullptr) {
    *error = std::string("the column family's table factory is ") +
             (options.table_factory == nullptr ? "null" : options.table_factory->Name()) +
             "; allowed: BlockBasedTable, the only one with filter blocks";
    return nullptr;
  }
  if (table->filter_policy == nullptr) {
    *error =
        "the column family's filter_policy is null; allowed: the policy that new filters are to "
        "come from";
    return nullptr;
  }
  return std::unique_ptr<TableProbe>(new TableProbe(options, *table));
}

Status TableProbe::Read(const std::string& path, TableFacts* facts) const {
  const filter::Uncounted uncounted;
  const auto noting = std::make_shared<NotingPolicy>(table_.filter_policy.get());
  BlockBasedTableOptions table = table_;
  table.filter_policy = noting;
  // With these options, RocksDB passes the whole filter, or all partitions, when it opens the file.
  table.cache_index_and_filter_blocks = false;
  table.metadata_cache_options.partition_pinning = ROCKSDB_NAMESPACE::PinningTier::kAll;
  table.no_block_cache = false;
  constexpr size_t kCacheBytes = 1 << 20;
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(kCacheBytes, 0);
  table.persistent_cache = nullptr;
  Options options = options_;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  SstFileReader reader(options);
  const Status status = reader.Open(path);
  if (!status.ok()) return status;
  const TableProperties properties = *reader.GetTableProperties();
  facts->filter.kind = noting->kind();
  // Before 6.21, RocksDB did not count the keys in filters.
  const uint64_t keys = std::max<uint64_t>(
      properties.num_filter_entries != 0 ? properties.num_filter_entries : properties.num_entries,
      1);
  facts->sample_keys = keys;
  if (noting->largest_bytes() == 0) {
    facts->has_nothing_to_filter = properties.num_entries == properties.num_range_deletions ||
                                   (!table_.whole_key_filtering && !FiltersWholeKeys(properties) &&
                                    properties.filter_policy_name == table_.filter_policy->Name());
    return status;
  }
  facts->filter.num_partitions = noting->num_filters();
  facts->filter.bytes = properties.filter_size;
  // RocksDB's number includes the index of partitions, which the policy does not determine.
  facts->filter.bits_per_key =
      BitsPerKey(std::min(properties.filter_size, noting->sum_of_bytes()), keys);
  if (facts->filter.bits_per_key > 0) {
    const double largest =
        8 * static_cast<double>(noting->largest_bytes()) / facts->filter.bits_per_key;
    facts->sample_keys = std::min(keys, static_cast<uint64_t>(std::llround(largest)));
  }
  return status;
}

SizeRounding TableProbe::rounding() const {
  if (!table_.optimize_filters_for_memory) return SizeRounding::kBlocks;
  // glibc adds less than 1 % to these sizes, jemalloc up to 17 %.
  constexpr uint64_t kSizes[] = {70000, 90000, 700000};
  for (const uint64_t bytes : kSizes) {
    if (FilterBytesInAllocation(bytes) > bytes + bytes / 20) return SizeRounding::kFewSizes;
  }
  return SizeRounding::kAllocations;
}

Status TableProbe::Verify(const std::string& path) const {
  BlockBasedTableOptions table = table_;
  table.filter_policy = nullptr;
  table.no_block_cache = true;
  table.block_cache = nullptr;
  table.persistent_cache = nullptr;
  Options options = options_;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  SstFileReader reader(options);
  const Status status = reader.Open(path);
  if (!status.ok()) return status;
  ROCKSDB_NAMESPACE::ReadOptions read;
  read.readahead_size = size_t{2} << 20;
  return reader.VerifyChecksum(read);
}

FilterBuildingContext TableProbe::Context(const std::string& column_family, int level,
                                          bool is_bottommost) const {
  FilterBuildingContext context(table_);
  context.compaction_style = options_.compaction_style;
  context.num_levels = options_.num_levels;
  context.info_log = options_.info_log.get();
  context.column_family_name = column_family;
  context.level_at_creation = level;
  context.is_bottommost = is_bottommost;
  context.reason = ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction;
  return context;
}

void TableProbe::TellPolicy(const std::string& column_family, int level, bool is_bottommost) const {
  const filter::Uncounted uncounted;
  NewBuilder(Context(column_family, level, is_bottommost));
}

std::unique_ptr<FilterBitsBuilder> TableProbe::NewBuilder(
    const FilterBuildingContext& context) const {
  FilterAccount* const account = AccountAmong(options_);
  if (account != nullptr) account->OnTableFileCreationStarted({});
  std::unique_ptr<FilterBitsBuilder> builder(table_.filter_policy->GetBuilderWithContext(context));
  if (account != nullptr) EndFileCreation();
  return builder;
}

FileFilter TableProbe::Sample(const FilterBuildingContext& context, uint64_t num_keys) const {
  FileFilter filter;
  const std::unique_ptr<FilterBitsBuilder> builder = NewBuilder(context);
  if (builder == nullptr) return filter;
  std::mt19937_64 random;
  for (uint64_t i = 0; i < num_keys; ++i) {
    const uint64_t key = random();
    builder->AddKey(Slice(reinterpret_cast<const char*>(&key), sizeof(key)));
  }
  const uint64_t entries = std::max<uint64_t>(builder->EstimateEntriesAdded(), 1);
  std::unique_ptr<const char[]> memory;
  const Slice bytes = builder->Finish(&memory);
  if (bytes.empty()) return filter;
  filter.kind = KindIn(bytes.ToStringView());
  filter.bits_per_key = BitsPerKey(bytes.size(), entries);
  return filter;
}

double TableProbe::BitsWithinLimit(uint64_t keys) const {
  std::string text;
  uint64_t max_bytes = 0;
  const Status status = table_.filter_policy->GetOption(ConfigOptions(), "max_filter_bytes", &text);
  const bool is_limited = status.ok() && support::ParseUint64(text, &max_bytes) && max_bytes != 0;
  return is_limited ? std::max(BitsPerKey(max_bytes, keys), kMinBits)
                    : std::numeric_limits<double>::infinity();
}

FileFilter TableProbe::Wanted(const std::string& column_family, int level, bool is_bottommost,
                              const TableFacts& facts) const {
  const filter::Uncounted uncounted;
  if (facts.has_nothing_to_filter || (options_.optimize_filters_for_hits && is_bottommost)) {
    return FileFilter();
  }
  const FilterBuildingContext context = Context(column_family, level, is_bottommost);
  const uint64_t keys = std::clamp<uint64_t>(facts.sample_keys, 1, kMaxSampleKeys);
  FileFilter wanted = Sample(context, keys);
  wanted.bits_per_key = std::min(wanted.bits_per_key, BitsWithinLimit(facts.sample_keys));
  if (wanted.kind == facts.filter.kind || IsExact(facts.filter) || keys >= kMaxSampleKeys) {
    return wanted;
  }
  // Small filters may have another kind than large ones, and the number of keys is an estimate.
  const uint64_t a_fifth_less = keys * 4 / 5;
  const uint64_t a_quarter_more = keys * 5 / 4 + 1;
  for (const uint64_t other : {a_fifth_less, a_quarter_more}) {
    const FileFilter near = Sample(context, std::max<uint64_t>(other, 1));
    if (near.kind == facts.filter.kind) return near;
  }
  return wanted;
}

}  // namespace bloomline::engine
