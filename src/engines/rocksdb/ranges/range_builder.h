// Range entries in new filters: the options range_prefixes and range_memory_percent, and the
// builder.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/bits_builder.h"
#include "src/engines/rocksdb/ranges/tested_versions.h"
#include "src/filter/ranges/asked_ranges.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::engine {

// Reads both options. Returns what is wrong with them, or an empty string.
std::string ReadRangeOptions(const RocksDBFilterOptions& options,
                             filter::RangeEntryOptions* entries);

// Returns the entries of a file with num_levels_below levels below it, chosen by the ranges that
// were asked for in its column family. `entries` are those of the policy.
filter::RangeEntryOptions EntriesOfFile(filter::RangeEntryOptions entries,
                                        const std::string& column_family, int num_levels_below,
                                        const filter::AskedByFamily& asked);

// Adds range entries beside the keys. The empty prefixes of the range extractor are added as
// empty keys, so that a query for one of them alone, without a range, may match.
class RangeBitsBuilder : public RocksDBBitsBuilder {
 public:
  // See RocksDBBitsBuilder.
  RangeBitsBuilder(const FilterOptions& options, ROCKSDB_NAMESPACE::Logger* log,
                   filter::FilterCounts* counts, const filter::RangeEntryOptions& entries)
      : RocksDBBitsBuilder(options, log, counts), entries_(entries) {
    LogIfRangesAreOff(log);
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

  // With the entries: RocksDB 10.9 and later end a file by this.
  size_t CalculateSpace(size_t num_entries) noexcept BLOOMLINE_OVERRIDE_SINCE_10_9 {
    const size_t of_keys = RocksDBBitsBuilder::CalculateSpace(num_entries);
    const uint64_t of_ranges = entries_.ExpectedBytes(num_entries, writer().options());
    return of_keys + static_cast<size_t>(std::min<uint64_t>(of_ranges, SIZE_MAX - of_keys));
  }

 protected:
  Slice Build(std::unique_ptr<const char[]>* buf, Status* status, Facts* facts) override {
    entries_.Finish(is_partition(), &writer());
    return RocksDBBitsBuilder::Build(buf, status, facts);
  }

 private:
  filter::RangeEntries entries_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_
