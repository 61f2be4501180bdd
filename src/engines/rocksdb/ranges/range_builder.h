// The builder of a policy with range entries.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_

#include <memory>

#include "src/engines/rocksdb/bits/bits_builder.h"
#include "src/engines/rocksdb/ranges/tested_versions.h"
#include "src/filter/ranges/range_entries.h"

namespace bloomline {

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
    return RocksDBBitsBuilder::Finish(buf, status);
  }

 private:
  filter::RangeEntries entries_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_
