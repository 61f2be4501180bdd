// The one table of all layouts.
#include "src/filter/layouts/layout_row.h"

namespace bloomline::filter {
namespace {

constexpr LayoutRow kAlwaysMatchRow;

}  // namespace

const LayoutRow& LayoutRowFor(Layout layout) {
  switch (layout) {
    case Layout::kClassic:
      return kClassicRow;
    case Layout::kSmallSet:
      return kSmallSetRow;
    case Layout::kBlocked:
      return kBlockedRow;
    case Layout::kFlat:
      return kFlatRow;
    case Layout::kCompact:
      return kCompactRow;
    case Layout::kAlwaysMatch:
      break;
  }
  return kAlwaysMatchRow;
}

}  // namespace bloomline::filter
