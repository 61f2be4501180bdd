#include "src/db/engine_filters/engine_filter.h"

#include <algorithm>

#include "src/db/engine_filters/opened_filter.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline::engine_filters {

const char* KindName(Kind kind) {
  if (const filter::LayoutRow* row = RowOf(kind); row != nullptr) return row->long_name;
  switch (kind) {
    case Kind::kAlwaysMatch:
      return stock::KindName(stock::Kind::kAlwaysMatch);
    case Kind::kNoKeys:
      return stock::KindName(stock::Kind::kNoKeys);
    case Kind::kRocksDBBloom:
      return stock::KindName(stock::Kind::kBloom);
    case Kind::kRocksDBRibbon:
      return stock::KindName(stock::Kind::kRibbon);
    case Kind::kRocksDBLegacy:
      return stock::KindName(stock::Kind::kLegacyBloom);
    default:
      return stock::KindName(stock::Kind::kUnknown);
  }
}

EngineFilter EngineFilter::Open(Container container, std::string_view name,
                                std::string_view bytes) {
  return container == Container::kLevelDB ? OpenLevelDB(name, bytes) : OpenRocksDB(name, bytes);
}

bool EngineFilter::MayMatch(std::string_view key) const {
  bool may_match;
  return MayMatch(1, &key, &may_match) == 1;
}

size_t EngineFilter::MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
  query_(n, keys, may_match);
  return static_cast<size_t>(std::count(may_match, may_match + n, true));
}

}  // namespace bloomline::engine_filters
