// The one table of all layouts.
#include <algorithm>
#include <iterator>

#include "src/filter/layouts/layout_row.h"

namespace bloomline::filter {
namespace {

constexpr LayoutRow kAlwaysMatchRow;

}  // namespace

const LayoutRow* const kLayoutRows[] = {&kClassicRow, &kSmallSetRow, &kAlwaysMatchRow,
                                        &kBlockedRow, &kFlatRow,     &kCompactRow};
const size_t kNumLayoutRows = std::size(kLayoutRows);

const LayoutRow* TrailerRow(unsigned number) {
  const size_t index = number + size_t{kNumLevelDBRows};
  if (index >= kNumLayoutRows || kLayoutRows[index]->trailer_shape == nullptr) return nullptr;
  return kLayoutRows[index];
}

size_t DropRepeats(uint64_t* hashes, size_t n) {
  std::sort(hashes, hashes + n);
  return static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
}

}  // namespace bloomline::filter
