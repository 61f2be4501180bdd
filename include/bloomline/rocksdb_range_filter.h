// Range filters for RocksDB (experimental): a scan of a range without keys reads no data block of
// most tables. Works with every filter policy, and without one.
//
//   std::shared_ptr<bloomline::RangeFilter> ranges = bloomline::NewRangeFilter({}, &error);
//   if (ranges == nullptr) return 1;  // error says why
//   family_options.table_properties_collector_factories.push_back(ranges);
//
//   bloomline::RangeScan scan(ranges, "user:17:", "user:17;");
//   rocksdb::ReadOptions read_options;
//   scan.Apply(&read_options);
//   std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read_options, family));
//
// One scan is one range: RocksDB asks about a table once for each iterator, never for each Seek. So
// another range needs another RangeScan and another iterator. An iterator whose bounds are changed
// after Apply loses keys.
//
// New tables get a range filter among their properties, and RocksDB keeps it in memory while the
// table is open (not in the block cache). Tables without one, and those whose comparator is not
// BytewiseComparator(), are read as ever. docs/ranges.md has the rest. Link bloomline::rocksdb.
#ifndef BLOOMLINE_ROCKSDB_RANGE_FILTER_H_
#define BLOOMLINE_ROCKSDB_RANGE_FILTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/filter_options.h"
#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"

namespace bloomline {

struct RangeFilterOptions {
  // What a filter knows of its keys. "auto" chooses for each table, by its keys and by the ranges
  // of earlier scans. A list such as "4:8:after0x2f@1+3" names key prefixes (docs/ranges.md): up to
  // 8 lengths of 1 to 64 bytes or "1bits" to "512bits", and up to 32 occurrences of delimiters.
  std::string prefixes = "auto";

  // Memory of all range filters, in percent of that of point filters with bits_per_key; 1 to 400.
  // The last level gets 0.8 times as much for each key, upper ones more. Each entry of a list gets
  // at least one bit, so a list may exceed it.
  double memory_percent = 20;

  // Of the database's point filters, whether it has them or not; limits as in FilterOptions.
  double bits_per_key = 10;

  // kCompact or kBlocked. Filters of kBlocked are built faster.
  Format format = Format::kCompact;

  // Maximum bytes of one filter, from 4,096 on; 0: no limit. A larger one gets fewer bits for each
  // entry; below one bit, it keeps only what all keys have in common.
  uint64_t max_bytes_per_table = 16 << 20;

  // Returns "", or why NewRangeFilter refuses the options.
  std::string Validate() const;
};

// Makes the range filters of new tables. It may serve column families and databases at once, which
// then share what "auto" learns from scans; families that are scanned differently should have one
// each. Thread-safe. Only NewRangeFilter creates one.
class RangeFilter : public ROCKSDB_NAMESPACE::TablePropertiesCollectorFactory {
 public:
  struct Counts {
    uint64_t tables_asked = 0;    // by iterators of RangeScans
    uint64_t tables_skipped = 0;  // of these
  };
  // Since this object was made.
  virtual Counts counts() const = 0;

  static const char* kClassName() { return "bloomline.ranges"; }
  const char* Name() const override { return kClassName(); }
};

// Also calls RegisterBloomline(), so option strings can name it. Colons in a list are then commas:
//
//   table_properties_collectors={id=bloomline.ranges;prefixes=4,after0x2f;memory_percent=10}
//
// Returns null if the options are invalid or RocksDB has another version at run time; the reason is
// then in *error, or on stderr if `error` is null.
std::shared_ptr<RangeFilter> NewRangeFilter(const RangeFilterOptions& options = {},
                                            std::string* error = nullptr);

// Returns the first range filter among the collectors of a column family, for databases that are
// opened by option strings; null if there is none.
std::shared_ptr<RangeFilter> FindRangeFilter(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& options);

// The range of a scan, for one iterator or more, forward and backward. It must outlive them.
// Thread-safe.
class RangeScan {
 public:
  struct Range {
    std::string lower, upper;
  };

  // All keys from `lower` to `upper`, without `upper`. The RangeFilter learns from the scan and
  // counts it; it may be null.
  RangeScan(std::shared_ptr<RangeFilter> filter, std::string_view lower, std::string_view upper);
  // Several ranges, for a MultiScan or for Seeks in each of them. An iterator may also find keys
  // between the ranges; it then lacks others there, and may find deleted ones.
  RangeScan(std::shared_ptr<RangeFilter> filter, const std::vector<Range>& ranges);
  RangeScan(const RangeScan&) = delete;
  RangeScan& operator=(const RangeScan&) = delete;

  // Sets iterate_lower_bound and iterate_upper_bound to the bounds of this scan, whatever they
  // were, and table_filter. A table_filter of yours stays: a table is read if both want it. That of
  // another RangeScan is replaced, so the options can serve one scan after another.
  //
  // Cost for each table of an iterator: 0.1 to 1 us.
  void Apply(ROCKSDB_NAMESPACE::ReadOptions* options) const;

 private:
  struct State;
  const std::shared_ptr<const State> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_RANGE_FILTER_H_
