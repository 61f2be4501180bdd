// How large the filter of a table is. RocksDB and the builder get all their answers about sizes
// from here.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_TABLE_PLAN_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_TABLE_PLAN_H_

#include <cstdint>

#include "bloomline/filter_options.h"
#include "src/filter/bits/filter_shape.h"
#include "src/support/engine.h"

namespace bloomline::filter {
struct LayoutRow;
}

namespace bloomline::engine {

// Limits of memory leave a filter at least this many bits per key, unless the options have fewer.
constexpr double kMinBits = 3;

using support::kBlockTrailerBytes;  // which is in the allocation, too

// What the options of the policy and one of the table say about sizes.
struct SizeOptions {
  Format format;
  double bits_per_key;
  // Filters that would have more bytes get fewer bits per key, but at least kMinBits. 0: no limit.
  uint64_t max_filter_bytes = 0;
  // Filters fill the memory that RocksDB allocates for them, unless they have a limit.
  bool fills_allocations = false;
};

// The filter that a writer makes next: a payload and the trailer, for which keys pay together.
class TablePlan {
 public:
  // The sizes must outlive the plan, which follows their changes. `row` is the PlanRow of their
  // format.
  TablePlan(const SizeOptions& sizes, const filter::LayoutRow& row) : sizes_(sizes), row_(row) {}

  // The bits per key of num_keys keys: fewer than the options say if max_filter_bytes costs some.
  double BitsPerKey(uint64_t num_keys) const;
  // The filter of num_keys keys, and the same filter enlarged to fill its allocation.
  filter::FilterShape Shape(uint64_t num_keys) const;
  filter::FilterShape FittedShape(uint64_t num_keys) const;

  // The bytes of Shape(num_keys) that keys pay for.
  uint64_t KeyBytes(uint64_t num_keys) const;
  // The most keys whose filter takes at most `bytes` without a limit; if even the smallest filter
  // takes more, the most keys of that one. Cost: 0.5 us.
  uint64_t MostKeys(uint64_t bytes) const;
  // The false-positive rate of num_keys keys if keys pay for `bytes`.
  double FalsePositiveRate(uint64_t num_keys, uint64_t bytes) const;

 private:
  filter::FilterShape ShapeWith(uint64_t num_keys, double bits_per_key,
                                uint64_t max_payload_bytes) const;

  const SizeOptions& sizes_;
  const filter::LayoutRow& row_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_TABLE_PLAN_H_
