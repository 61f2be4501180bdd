// A range filter as RocksDB's tables store it, in one of their properties: docs/format.md,
// section 12.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_PROPERTY_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_PROPERTY_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "src/filter/kernel/kernel.h"
#include "src/filter/ranges/range_field.h"
#include "src/filter/ranges/range_query.h"

namespace bloomline::filter {

constexpr char kRangeProperty[] = "bloomline.range_filter";

// Longer last keys are not stored.
constexpr size_t kMaxStoredKeyBytes = 1024;

// The value of the property. `filter` is a filter of the trailer container, with the entries as its
// keys; empty if the field has no kinds. last_key has at most kMaxStoredKeyBytes.
std::string EncodeRangeProperty(const RangeField& field, std::string_view last_key,
                                std::string_view filter);

// The value, opened. It refers to the bytes.
struct TableRanges {
  OpenRanges ranges;
  std::string_view last_key;  // the table's; empty: unknown
};

// Never fails. If the value is not understood, every range may match, and the last key is unknown.
TableRanges OpenedTable(std::string_view value, const kernels::Kernel& kernel);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_PROPERTY_H_
