// Where a hash of 32 bits falls in a number of places: its remainder, without a division.
#ifndef BLOOMLINE_INSPECT_ENGINE_FILTERS_BIT_POSITION_H_
#define BLOOMLINE_INSPECT_ENGINE_FILTERS_BIT_POSITION_H_

#include <cstdint>

#include "src/filter/kernels/uint128.h"

namespace bloomline::engine_filters {

// hash % size for any 32-bit hash (Lemire, Kaser and Kurz, "Faster remainder by direct
// computation", 2019). A present key's query has 6 remainders at 10 bits per key.
class Remainder {
 public:
  explicit Remainder(uint64_t size)
      : size_(size), reciprocal_(size <= 1 ? 0 : ~uint64_t{0} / size + 1) {}

  uint64_t size() const { return size_; }
  uint64_t operator()(uint32_t hash) const {
    if (size_ > UINT32_MAX) return hash;
    const uint64_t fraction = reciprocal_ * hash;  // modulo 2^64
    return static_cast<uint64_t>(kernels::Uint128{fraction} * size_ >> 64);
  }

 private:
  uint64_t size_;
  uint64_t reciprocal_;
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_INSPECT_ENGINE_FILTERS_BIT_POSITION_H_
