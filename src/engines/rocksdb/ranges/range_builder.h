// The builder of a policy with range entries.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_

#include "src/engines/rocksdb/bits_builder.h"
#include "src/filter/ranges/range_entries.h"

namespace bloomline {

// Adds range entries beside the keys. The empty prefixes of the range extractor are added as
// empty keys, so that a query for one of them alone, without a range, may match.
class RangeBitsBuilder final : public RocksDBBitsBuilder {
 public:
  // As RocksDBBitsBuilder.
  RangeBitsBuilder(const FilterOptions& options, bool verify, ROCKSDB_NAMESPACE::Logger* log,
                   const filter::RangeEntryOptions& entries)
      : RocksDBBitsBuilder(options, verify, log), entries_(entries) {}

  void AddKey(const Slice& key) override {
    entries_.Add(key.ToStringView(), &writer());
    RocksDBBitsBuilder::AddKey(key);
  }

  void AddKeyAndAlt(const Slice& key, const Slice& alt) BLOOMLINE_OVERRIDE_SINCE_9_6 {
    entries_.Add(key.ToStringView(), &writer());
    entries_.Add(alt.ToStringView(), &writer());
    RocksDBBitsBuilder::AddKeyAndAlt(key, alt);
  }

  using RocksDBBitsBuilder::Finish;
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    entries_.Finish(is_partition(), &writer());
    return RocksDBBitsBuilder::Finish(buf, status);
  }

 private:
  filter::RangeEntries entries_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_BUILDER_H_
