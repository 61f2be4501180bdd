// The filters that RocksDB itself writes (src/filter/stock), in the table of layouts.
#ifndef BLOOMLINE_FILTER_LAYOUTS_ROCKSDB_ROCKSDB_H_
#define BLOOMLINE_FILTER_LAYOUTS_ROCKSDB_ROCKSDB_H_

#include "src/filter/kernel/layout_row.h"

namespace bloomline::filter {

extern const LayoutRow kRocksDBBloomRow;
extern const LayoutRow kRocksDBLegacyRow;
extern const LayoutRow kRocksDBRibbonRow;
extern const LayoutRow kRocksDBBlockBasedRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_ROCKSDB_ROCKSDB_H_
