#include "src/filter/sizing/engine_sizing.h"

#include "bloomline/sizing.h"
#include "src/filter/options/formats.h"
#include "src/filter/rates/rates.h"
#include "src/filter/stock/stock_size.h"

namespace bloomline::filter {

double EngineRate(Format format, double bits_per_key) {
  if (RowOf(format).bits_are_memory) return FalsePositiveRate(format, bits_per_key);
  return stock::RibbonRate(ClampBitsPerKey(bits_per_key));
}

}  // namespace bloomline::filter
