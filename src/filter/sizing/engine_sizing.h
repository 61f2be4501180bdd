// False-positive rates of large filters in engines, by the bits_per_key of a policy's options: like
// bloomline/sizing.h, but in kRibbon, bits_per_key is the N of RocksDB's ribbonfilter:N, which is
// not the memory.
#ifndef BLOOMLINE_FILTER_SIZING_ENGINE_SIZING_H_
#define BLOOMLINE_FILTER_SIZING_ENGINE_SIZING_H_

#include "bloomline/filter_options.h"

namespace bloomline::filter {

double EngineRate(Format format, double bits_per_key);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_ENGINE_SIZING_H_
