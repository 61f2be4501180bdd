#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

constexpr const LayoutRow* kRows[] = {
    &kUnknownRow,       &kAlwaysMatchRow,       &kNoKeysRow,  &kRocksDBBloomRow, &kRocksDBLegacyRow,
    &kRocksDBRibbonRow, &kRocksDBBlockBasedRow, &kBlockedRow, &kFlatRow,         &kRibbonRow,
    &kFormerCompactRow, &kClassicRow,           &kSmallSetRow};

}  // namespace

constexpr LayoutTable kLayouts = {std::begin(kRows), std::end(kRows)};

}  // namespace bloomline::filter
