// Ribbon filters outside RocksDB's own bytes (docs/format.md, section 3.5): the equations and
// queries of RocksDB's (src/filter/stock/ribbon.h), with bloomline's hash.
#ifndef BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_H_
#define BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_H_

#include "src/filter/kernel/layout_row.h"

namespace bloomline::filter {

extern const LayoutRow kRibbonRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_RIBBON_RIBBON_H_
