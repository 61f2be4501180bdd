#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

constexpr const LayoutRow* kRows[] = {
    &kClassicRow,           &kBlockedRow,      &kFlatRow,          &kCompactRow,
    &kSmallSetRow,          &kRocksDBBloomRow, &kRocksDBLegacyRow, &kRocksDBRibbonRow,
    &kRocksDBBlockBasedRow, &kAlwaysMatchRow,  &kUnknownRow,       &kNoKeysRow};

}  // namespace

constexpr LayoutTable kLayouts = {std::begin(kRows), std::end(kRows)};

}  // namespace bloomline::filter
