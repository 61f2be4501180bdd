// Bytes that give the same answer for every key, in the table of layouts.
#ifndef BLOOMLINE_FILTER_LAYOUTS_CONSTANT_CONSTANT_H_
#define BLOOMLINE_FILTER_LAYOUTS_CONSTANT_CONSTANT_H_

#include "src/filter/kernel/layout_row.h"

namespace bloomline::filter {

// Filters that their writer could not build.
extern const LayoutRow kAlwaysMatchRow;
// Bytes that are not understood: they match every key, too.
extern const LayoutRow kUnknownRow;
// Filters of solved blocks, which versions before 0.4.0 wrote: they match every key.
extern const LayoutRow kFormerCompactRow;
// Filters that match no key.
extern const LayoutRow kNoKeysRow;

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_CONSTANT_CONSTANT_H_
