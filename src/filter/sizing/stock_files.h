// The memory of RocksDB's own filters, of which each file has one.
#ifndef BLOOMLINE_FILTER_SIZING_STOCK_FILES_H_
#define BLOOMLINE_FILTER_SIZING_STOCK_FILES_H_

#include <cstdint>

#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"

namespace bloomline::filter {

// A file's filter has at most 4 GiB. More keys than these lie in several files.
constexpr uint64_t kKeysOfStockFile = 1000000;

// bits_per_key as in a policy's options. Saturates.
inline uint64_t StockFileBytes(Format format, uint64_t num_keys, double bits_per_key) {
  const auto bytes_of = [=](uint64_t keys) {
    return SSTableShape(format, {keys, bits_per_key}).payload_bytes() + stock::kMetadataBytes;
  };
  const uint64_t files = num_keys / kKeysOfStockFile;
  const uint64_t rest = num_keys % kKeysOfStockFile;
  if (files == 0) return bytes_of(rest);
  const uint64_t of_file = bytes_of(kKeysOfStockFile);
  if (files > 2 * support::kMaxBytes / of_file) return 2 * support::kMaxBytes;
  return files * of_file + (rest == 0 ? 0 : bytes_of(rest));
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_STOCK_FILES_H_
