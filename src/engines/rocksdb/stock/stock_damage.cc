#include "src/engines/rocksdb/stock/stock_damage.h"

#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline {

bool HasWrongLengths(std::string_view filter) {
  if (filter.size() <= stock::kTrailerBytes) return !filter.empty();
  if (stock::DecodeStockFilter(filter).kind != stock::Kind::kUnknown) return false;
  const std::string_view trailer = filter.substr(filter.size() - stock::kTrailerBytes);
  const auto kind = static_cast<signed char>(trailer[0]);
  if (kind == -1) {  // Bloom filters of other variants and blocks may be known to RocksDB
    const int variant = trailer[1], block_and_probes = trailer[2];
    return filter.size() - stock::kTrailerBytes < kernels::kBlockBytes && variant == 0 &&
           block_and_probes >= 1 && block_and_probes <= stock::kMaxLocalBloomProbes;
  }
  return kind > 0 || kind == -2;
}

}  // namespace bloomline
