// The builder of a policy with range entries.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/engines/rocksdb/bits/bits_builder.h"
#include "src/engines/rocksdb/ranges/tested_versions.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline {

// Logs that a file of the column family got these kinds, by a sample of num_ranges ranges, unless
// the last line of this logger and family said the same: a partitioned file has many filters. `log`
// may be null. Thread-safe.
void LogRangeChoice(ROCKSDB_NAMESPACE::Logger* log, std::string_view column_family,
                    const filter::EntryKinds& kinds, uint64_t num_ranges);

// Adds range entries beside the keys. The empty prefixes of the range extractor are added as
// empty keys, so that a query for one of them alone, without a range, may match.
class RangeBitsBuilder : public RocksDBBitsBuilder {
 public:
  // See RocksDBBitsBuilder.
  RangeBitsBuilder(const FilterOptions& options, ROCKSDB_NAMESPACE::Logger* log,
                   const filter::RangeEntryOptions& entries)
      : RocksDBBitsBuilder(options, log), entries_(entries) {
    LogIfRangesAreOff(log);
  }

  // From now on, logs what is chosen for the column family by a sample of num_ranges ranges.
  void LogChoices(ROCKSDB_NAMESPACE::Logger* log, std::string_view column_family,
                  uint64_t num_ranges) {
    num_ranges_ = num_ranges;
    log_ = log;
    column_family_ = column_family;
  }

  void AddKey(const Slice& key) noexcept override {
    entries_.Add(key.ToStringView(), &writer());
    RocksDBBitsBuilder::AddKey(key);
  }

  void AddKeyAndAlt(const Slice& key, const Slice& alt) noexcept BLOOMLINE_OVERRIDE_SINCE_9_6 {
    entries_.Add(key.ToStringView(), &writer());
    entries_.Add(alt.ToStringView(), &writer());
    RocksDBBitsBuilder::AddKeyAndAlt(key, alt);
  }

  using RocksDBBitsBuilder::Finish;
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) noexcept override {
    entries_.Finish(is_partition(), &writer());
    if (log_ != nullptr) LogRangeChoice(log_, column_family_, entries_.chosen(), num_ranges_);
    return RocksDBBitsBuilder::Finish(buf, status);
  }

 private:
  filter::RangeEntries entries_;
  ROCKSDB_NAMESPACE::Logger* log_ = nullptr;
  std::string column_family_;
  uint64_t num_ranges_ = 0;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_
