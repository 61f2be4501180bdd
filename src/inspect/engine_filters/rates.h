// False-positive rates and numbers of keys of a filter: engine_filter.h has the contracts.
#ifndef BLOOMLINE_INSPECT_ENGINE_FILTERS_RATES_H_
#define BLOOMLINE_INSPECT_ENGINE_FILTERS_RATES_H_

#include <cstdint>

#include "src/inspect/engine_filters/opened_filter.h"

namespace bloomline::engine_filters {

double ExpectedRate(const FilterFacts& facts, uint64_t num_keys);
double RateFromBits(const FilterFacts& facts);
double KeysFromBits(const FilterFacts& facts);

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_INSPECT_ENGINE_FILTERS_RATES_H_
