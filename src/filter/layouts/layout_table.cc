// The one table of all layouts.
#include <iterator>

#include "src/filter/layouts/layout_row.h"

namespace bloomline::filter {
namespace {

constexpr LayoutRow kAlwaysMatchRow;

}  // namespace

const LayoutRow* const kLayoutRows[] = {&kClassicRow, &kSmallSetRow, &kAlwaysMatchRow,
                                        &kBlockedRow, &kFlatRow,     &kCompactRow};

const LayoutRow* TrailerRow(unsigned number) {
  const size_t index = number + size_t{kNumLevelDBRows};
  if (index >= std::size(kLayoutRows) || kLayoutRows[index]->trailer_shape == nullptr)
    return nullptr;
  return kLayoutRows[index];
}

}  // namespace bloomline::filter
