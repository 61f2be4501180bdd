// The filters that RocksDB itself writes, full filters and partitions, distinguished by their
// bytes. They end in 5 bytes (table/block_based/filter_policy.cc), the first of which says how to
// read the others:
//
//   1 to 127   legacy Bloom filter with this many probes; number of blocks (4 bytes)
//   0          matches every key; or bloomline's trailer, whose magic number follows
//   -1         Bloom filter; variant 0 (1 byte), k (5 bits) and block size (3 bits, 0: 64 bytes),
//              2 bytes reserved
//   -2         Ribbon filter; seed (1 byte), number of blocks (3 bytes)
//   others     reserved
#ifndef BLOOMLINE_FILTER_STOCK_STOCK_FILTER_H_
#define BLOOMLINE_FILTER_STOCK_STOCK_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/ribbon_solve.h"

namespace bloomline::stock {

// The bytes after the payload. Filters of this length or less contain no keys.
constexpr size_t kMetadataBytes = 5;
constexpr int kBloomMarker = -1, kRibbonMarker = -2;

// A filter that matches every key in RocksDB's reader and in bloomline's, written if none could be
// built.
constexpr std::string_view kAlwaysMatchBytes("\0\0\0\0\0", kMetadataBytes + 1);

// The longest payload: RocksDB's lengths have 32 bits, and blocks 64 bytes.
constexpr uint64_t kMaxPayloadBytes = 0xffffffc0;

// The SIMD code for these filters: a part of kernels::Kernel.
struct StockKernel {
  LocalBloomKernel local_bloom;
  RibbonKernel ribbon;
  RibbonSolver ribbon_solver;
};

// The bytes at the end: 0 is the marker.
inline int EndByte(std::string_view filter, size_t i) {
  return static_cast<unsigned char>(filter[filter.size() - kMetadataBytes + i]);
}

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_STOCK_FILTER_H_
