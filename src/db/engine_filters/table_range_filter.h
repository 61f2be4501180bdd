// The range filters that RocksDB's tables have among their properties (docs/format.md, section 12).
#ifndef BLOOMLINE_DB_ENGINE_FILTERS_TABLE_RANGE_FILTER_H_
#define BLOOMLINE_DB_ENGINE_FILTERS_TABLE_RANGE_FILTER_H_

#include <string>
#include <string_view>

#include "src/filter/ranges/range_property.h"

namespace bloomline::engine_filters {

using filter::kRangeProperty;

// Borrows the property's value. Thread-safe.
class TableRangeFilter {
 public:
  explicit TableRangeFilter(std::string_view value);

  // Why a RangeScan reads every table of this comparator and this filter; empty: it asks the
  // filter.
  std::string WhyUnasked(std::string_view comparator) const;
  // False: every range may match.
  bool is_understood() const { return table_.ranges.is_understood; }
  const filter::EntryKinds& kinds() const { return table_.ranges.field.kinds; }

  // Whether a scan of [begin, end) reads the table.
  bool MayMatch(std::string_view begin, std::string_view end) const;
  // Asks for ranges that have this key: that of the key alone, which looks up only some of its
  // entries; that from behind `before`, the key before it in the table, which spans entries; and
  // those of all keys with each of its prefixes. False: one of them does not match.
  bool RangesAroundMayMatch(std::string_view before, std::string_view key) const;

 private:
  bool PrefixMayMatch(std::string_view prefix) const;

  const filter::TableRanges table_;
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_TABLE_RANGE_FILTER_H_
