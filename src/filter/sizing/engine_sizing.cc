#include "src/filter/sizing/engine_sizing.h"

#include "bloomline/sizing.h"
#include "src/filter/options/formats.h"
#include "src/filter/rates/rates.h"
#include "src/filter/sizing/stock_files.h"
#include "src/filter/stock/stock_size.h"

namespace bloomline::filter {

double EngineRate(Format format, double bits_per_key) {
  if (RowOf(format).bits_are_memory) return FalsePositiveRate(format, bits_per_key);
  return stock::RibbonRate(ClampBitsPerKey(bits_per_key));
}

double EngineRateWithKeys(Format format, double bits_per_key, uint64_t capacity,
                          uint64_t num_keys) {
  if (RowOf(format).bits_are_memory) {
    return FalsePositiveRateWithKeys(format, bits_per_key, capacity, num_keys);
  }
  if (!IsAllowed(format, bits_per_key)) return kNotANumber;
  if (num_keys == 0) return 0;
  return capacity == 0 ? 1 : stock::RibbonRate(bits_per_key);  // of any size
}

uint64_t EngineFilterBytes(Format format, uint64_t num_keys, double bits_per_key) {
  if (RowOf(format).bits_are_memory) return FilterBytes(format, num_keys, bits_per_key);
  return IsAllowed(format, bits_per_key) ? StockFileBytes(format, num_keys, bits_per_key) : 0;
}

}  // namespace bloomline::filter
