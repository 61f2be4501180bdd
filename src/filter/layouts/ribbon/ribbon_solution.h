// All keys of a Ribbon filter, solved before it has memory, in the table of layouts.
#ifndef BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_SOLUTION_H_
#define BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_SOLUTION_H_

#include <cstdint>

#include "src/filter/kernel/kernel.h"
#include "src/filter/kernel/layout_row.h"
#include "src/filter/layouts/ribbon/ribbon_system.h"
#include "src/filter/stock/ribbon_size.h"

namespace bloomline::filter {

// If no seed has a solution, it writes a Bloom filter instead: the shape says which layout.
class RibbonSolution final : public Solution {
 public:
  RibbonSolution(const kernels::Kernel& kernel, const FilterShape& shape)
      : layout_(shape.layout),
        system_(kernel.stock.ribbon_solver, shape.row_blocks * stock::RibbonShape::kRowsPerBlock) {}

  // See RibbonSystem::Solve.
  bool Solve(HashList* hashes, uint8_t first_seed, uint32_t num_seeds) {
    return system_.Solve(hashes, first_seed, num_seeds);
  }

  // The row of the Bloom filter.
  void set_fallback(const LayoutRow& row) { fallback_ = &row; }

  uint64_t seed() const override { return system_.seed(); }

  void WriteTo(const FilterShape& shape, const kernels::Kernel& kernel, char* data) override {
    if (shape.layout == layout_) return system_.WritePayload(shape.payload_bytes(), data);
    system_.ForEachRun([&](const uint64_t* hashes, size_t n) {
      fallback_->insert(shape, kernel, data, n, hashes);
    });
  }

 private:
  const Layout layout_;
  const LayoutRow* fallback_ = nullptr;
  stock::RibbonSystem system_;
};

// Nearly the same for every number of keys.
inline double RibbonRate(const FilterShape& shape, uint64_t /* num_keys */) {
  return stock::ExpectedRibbonRateOf({shape.row_blocks, shape.payload_bytes()});
}

// Sets the query functions of a payload of 16-byte segments, whose shape.row_blocks is the number
// of its blocks of 128 rows.
inline void OpenRibbon(const Payload& payload, uint64_t seed, const kernels::Kernel& kernel,
                       OpenFilter* filter) {
  const stock::RibbonShape shape(payload.row_blocks, payload.payload_bytes());
  static_cast<kernels::DetailedView&>(*filter) = stock::RibbonView{
      payload.data, shape, stock::RibbonView::RawSeed(static_cast<uint8_t>(seed))};
  // Most of the work is finding out what to prefetch, so may_match_many does it.
  filter->is_large = false;
  filter->may_match = kernel.stock.ribbon.may_match_for(shape.columns);
  filter->may_match_many = kernel.stock.ribbon.may_match_many;
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_SOLUTION_H_
