// Range filters for RocksDB (experimental): a scan of a range without keys reads no data block of
// most tables. Works with every filter policy, and without one.
//
//   const auto ranges = bloomline::AddRangeFilter(&family_options, {}, &error);
//   if (ranges == nullptr) return 1;  // error says why
//
//   bloomline::RangeScan scan(ranges, "user:17:", "user:17;");
//   rocksdb::ReadOptions read_options;
//   scan.Apply(&read_options);
//   std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read_options, family));
//
// Each range needs its own RangeScan and iterator. An iterator whose bounds are changed after Apply
// loses keys.
//
// Tables without a filter, and those whose comparator is not BytewiseComparator(), are read as
// ever. Link bloomline::rocksdb.
#ifndef BLOOMLINE_ROCKSDB_RANGE_FILTER_H_
#define BLOOMLINE_ROCKSDB_RANGE_FILTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/filter_options.h"
#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"

namespace bloomline {

struct RangeFilterOptions {
  // "auto", or a list of key prefixes such as "4,8,after0x2f@1+3" (docs/ranges.md): up to 8 lengths
  // of 1 to 64 bytes or "1bits" to "512bits", and up to 32 occurrences of delimiters. While a table
  // is built, "auto" takes at most 24 bytes per key and 16 MiB.
  std::string prefixes = "auto";

  // Memory of all range filters, outside the block cache, in percent of that of point filters with
  // bits_per_key; 1 to 400. A list may exceed it. With a FilterAccount (filter_account.h), keys of
  // upper levels get more of it.
  double memory_percent = 20;

  // The memory of the database's point filters, whether it has them or not: 7.1 for RocksDB's
  // Ribbon policy with 10. Limits as in FilterOptions.
  double bits_per_key = 10;

  // kRibbon, or kBlocked, which is built faster.
  Format format = Format::kRibbon;

  // Maximum bytes of one filter, from 4,096 on; 0: no limit. Larger ones get fewer bits per entry.
  uint64_t max_bytes_per_table = 16 << 20;

  // Returns "", or why NewRangeFilter refuses the options.
  std::string Validate() const;
};

// Makes the range filters of new tables. Column families and databases that share one share what it
// learns of scans. Thread-safe. Only NewRangeFilter creates one.
class RangeFilter : public ROCKSDB_NAMESPACE::TablePropertiesCollectorFactory {
 public:
  struct Counts {
    uint64_t tables_asked = 0;  // by iterators of RangeScans
    uint64_t tables_skipped = 0;
  };
  // Since this object was made.
  virtual Counts counts() const = 0;

  static const char* kClassName() { return "bloomline.ranges"; }
  const char* Name() const override { return kClassName(); }
};

// Also calls RegisterBloomline(), so option strings can name it. Returns null if the options are
// invalid or RocksDB has another version at run time; the reason is then in *error, or on stderr if
// `error` is null.
std::shared_ptr<RangeFilter> NewRangeFilter(const RangeFilterOptions& options = {},
                                            std::string* error = nullptr);

// Calls NewRangeFilter, and adds the filter to the collectors of a column family. Fails like it,
// and then adds nothing.
std::shared_ptr<RangeFilter> AddRangeFilter(ROCKSDB_NAMESPACE::ColumnFamilyOptions* family,
                                            RangeFilterOptions options = {},
                                            std::string* error = nullptr);

// Returns the first range filter among a column family's collectors, or null.
std::shared_ptr<RangeFilter> FindRangeFilter(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& options);

// The range of a scan, for one iterator or more, forward and backward. It must outlive them.
// Thread-safe.
class RangeScan {
 public:
  struct Range {
    std::string lower, upper;
  };
  using TableFilter = std::function<bool(const ROCKSDB_NAMESPACE::TableProperties&)>;

  // All keys from `lower` to `upper`, without `upper`; none lies below an empty `upper`. The
  // RangeFilter learns from the scan and counts it; it may be null.
  RangeScan(std::shared_ptr<RangeFilter> filter, std::string_view lower, std::string_view upper);
  // For a MultiScan of these ranges or of parts of them, or for Seeks in each. Between the ranges,
  // an iterator may lack keys, find deleted ones, or have an error status of a merge.
  RangeScan(std::shared_ptr<RangeFilter> filter, const std::vector<Range>& ranges);
  RangeScan(const RangeScan&) = delete;
  RangeScan& operator=(const RangeScan&) = delete;

  // Sets iterate_lower_bound, iterate_upper_bound and table_filter, whatever they were.
  // `own_filter` is a table filter of yours: a table is read if both want it. Set `tailing` before:
  // with several ranges, a tailing iterator then reads all tables.
  //
  // From RocksDB 11.2 on, the iterator's status is InvalidArgument while the column family's
  // min_tombstones_for_range_conversion is above 0. Cost for each table of an iterator: 0.1 to 1
  // us.
  void Apply(ROCKSDB_NAMESPACE::ReadOptions* options, TableFilter own_filter = nullptr) const;

 private:
  struct State;
  class Question;
  const std::shared_ptr<const State> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_RANGE_FILTER_H_
