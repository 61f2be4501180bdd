// The one table of all layouts. Only LevelDB's codes (leveldb_codes.h) and the queries of LevelDB's
// filters (hash_query.h) also distinguish layouts (tests/source/layers_test).
//
// A new layout needs:
//
// - section 3 of docs/format.md, and its number in section 5 or its codes in section 4;
// - tests/golden/reference.py and the vectors;
// - its number in filter_shape.h, and a folder in src/filter/layouts with its kernels and its row
//   (src/filter/kernel/layout_row.h says what a row has);
// - a line in the table, layout_table.cc, and for kernels in kernel_table.cc;
// - for LevelDB its codes in leveldb_codes.h, its query in hash_query.h
//   and the choice in leveldb_shapes.cc;
// - cases in kernel_test, format_test, fpr_test and tests/fuzz/decode_fuzzer.cc;
// - CHANGELOG.md.
#ifndef BLOOMLINE_FILTER_TABLE_LAYOUT_TABLE_H_
#define BLOOMLINE_FILTER_TABLE_LAYOUT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "bloomline/filter_options.h"
#include "bloomline/inline_query.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/kernel/layout_row.h"
#include "src/filter/layouts/blocked/blocked.h"
#include "src/filter/layouts/constant/constant.h"
#include "src/filter/layouts/flat/flat.h"
#include "src/filter/layouts/leveldb_bloom/leveldb_bloom.h"
#include "src/filter/layouts/ribbon/ribbon.h"
#include "src/filter/layouts/rocksdb/rocksdb.h"
#include "src/filter/layouts/small_set/small_set.h"

namespace bloomline::filter {

// All rows, in the order in which reports list them. Of those with the same format, the first one
// has its plan. No inline variable: each shared library would have one.
struct LayoutTable {
  const LayoutRow* const* first;
  const LayoutRow* const* last;

  constexpr const LayoutRow* const* begin() const { return first; }
  constexpr const LayoutRow* const* end() const { return last; }
};
extern const LayoutTable kLayouts;

// Returns the row of kAlwaysMatch for a number without a layout.
inline const LayoutRow& LayoutRowFor(Layout layout) {
  for (const LayoutRow* const row : kLayouts) {
    if (row->layout == layout) return *row;
  }
  return kAlwaysMatchRow;
}

// The row that has the plan of a format. Returns that of kBlocked for a number without a format.
inline const LayoutRow& LayoutRowFor(Format format) {
  for (const LayoutRow* const row : kLayouts) {
    if (row->format == format) return *row;
  }
  return kBlockedRow;
}

// The row that has the shape of a format's static filters. Without any, that of kAlwaysMatch.
inline const LayoutRow& StaticRow(Format format) {
  for (const LayoutRow* const row : kLayouts) {
    if (row->format == format && row->shape != nullptr) return *row;
  }
  return kAlwaysMatchRow;
}

// The row that has the plan of a format in RocksDB's tables. RocksDB's Bloom filters of
// format_version below 5 have another one.
inline const LayoutRow& PlanRow(Format format, bool is_legacy = false) {
  const LayoutRow& row = LayoutRowFor(format);
  return is_legacy && row.format == kRocksDBLegacyRow.format ? kRocksDBLegacyRow : row;
}

// Whether RocksDB writes other filters of this format with format_version below 5.
inline bool HasLegacy(Format format) { return &PlanRow(format, true) != &PlanRow(format, false); }

// The shape of a filter with a trailer on its own, and of any filter in one of RocksDB's tables.
// With keys it has at least one block, without keys none. More keys never take fewer bytes, and
// sizes saturate instead of wrapping. A format that has no such filters gets FilterShape().
inline FilterShape ShapeBy(FilterShape (*shape_for)(const ShapeRequest&),
                           const ShapeRequest& request) {
  if (shape_for == nullptr) return FilterShape();
  FilterShape shape = shape_for(request);
  if (request.num_keys == 0) shape.num_blocks = 0;
  return shape;
}
inline FilterShape StandaloneShape(Format format, const ShapeRequest& request) {
  return ShapeBy(StaticRow(format).shape, request);
}
inline FilterShape SSTableShape(const LayoutRow& plan, const ShapeRequest& request) {
  return ShapeBy(plan.sstable_shape, request);
}
inline FilterShape SSTableShape(Format format, const ShapeRequest& request) {
  return SSTableShape(PlanRow(format), request);
}

// Chooses the query functions of a payload of one of RocksDB's tables, once for all its queries.
inline OpenFilter Opened(const Payload& payload, const kernels::Kernel& kernel) {
  OpenFilter filter;
  static_cast<kernels::PayloadView&>(filter) = ForKernel(payload, payload.data);
  filter.block_bytes = payload.block_bytes;
  filter.always_matches = payload.always_matches();
  // A query of a flat filter reads more than one block.
  filter.is_large = payload.has_blocks() && payload.payload_bytes() > kernels::kCachedBytes;
  filter.may_match = [](const kernels::PayloadView&, uint64_t) { return true; };
  filter.may_match_many = [](const kernels::PayloadView& view, size_t n, const uint64_t* hashes,
                             bool* may_match) {
    const auto may_match_one = static_cast<const OpenFilter&>(view).may_match;
    for (size_t i = 0; i < n; ++i) may_match[i] = may_match_one(view, hashes[i]);
  };
  if (!payload.always_matches() && payload.num_blocks == 0) {
    filter.may_match = [](const kernels::PayloadView&, uint64_t) { return false; };
  } else if (const auto open = LayoutRowFor(payload.layout).open; open != nullptr) {
    open(payload, kernel, &filter);
  }
  return filter;
}

// The expected false-positive rate of num_keys keys in this very shape, which has blocks. NaN if
// the layout has no formula.
inline double ExactShapeRate(const FilterShape& shape, uint64_t num_keys) {
  const auto rate = LayoutRowFor(shape.layout).rate;
  return rate == nullptr ? std::numeric_limits<double>::quiet_NaN() : rate(shape, num_keys);
}

inline bool IsBloom(const FilterShape& shape) { return LayoutRowFor(shape.layout).is_bloom(); }

// Builds a payload of LevelDB: shape->payload_bytes() > 0 zeroed bytes, from few hashes in an
// array, which it may reorder. Completes the shape.
inline void BuildSmallPayload(uint64_t* hashes, size_t n, FilterShape* shape,
                              const kernels::Kernel& kernel, char* data) {
  const LayoutRow& row = LayoutRowFor(shape->layout);
  if (row.is_bloom()) return row.insert(*shape, kernel, data, n, hashes);
  row.build(hashes, n, shape, kernel, data);
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_TABLE_LAYOUT_TABLE_H_
