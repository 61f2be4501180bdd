#include "src/engines/rocksdb/stock/stock_damage.h"

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline {

namespace {

// RocksDB's Bloom filters of a partition without entries, as its builders write them: the trailer
// of a Bloom filter, or that of a legacy one, which has 0 blocks then.
bool IsTrailerWithoutKeys(std::string_view filter) {
  if (filter.size() != stock::kTrailerBytes) return false;
  const auto kind = static_cast<signed char>(filter[0]);
  const int block_and_probes = filter[2];
  const bool is_bloom = kind == -1 && filter[1] == 0 && block_and_probes >= 1 &&
                        block_and_probes <= stock::kMaxLocalBloomProbes;
  const bool is_legacy = kind > 0 && filter[1] == 0 && filter[2] == 0;
  return (is_bloom || is_legacy) && filter[3] == 0 && filter[4] == 0;
}

}  // namespace

bool HasWrongLengths(std::string_view filter) {
  if (filter.size() <= stock::kTrailerBytes)
    return !filter.empty() && !IsTrailerWithoutKeys(filter);
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
