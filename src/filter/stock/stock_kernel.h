// The SIMD code for the filters that RocksDB itself writes: a part of kernels::Kernel.
#ifndef BLOOMLINE_FILTER_STOCK_STOCK_KERNEL_H_
#define BLOOMLINE_FILTER_STOCK_STOCK_KERNEL_H_

#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/ribbon.h"

namespace bloomline::stock {

struct StockKernel {
  LocalBloomKernel local_bloom;
  RibbonKernel ribbon;
};

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_STOCK_KERNEL_H_
