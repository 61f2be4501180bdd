#include "src/inspect/engine_filters/engine_filter.h"

#include <algorithm>

#include "src/inspect/engine_filters/opened_filter.h"

namespace bloomline::engine_filters {

const char* LayoutName(Layout layout) {
  switch (layout) {
    case Layout::kUnknown:
      break;
    case Layout::kAlwaysMatch:
      return "matches every key";
    case Layout::kNoKeys:
      return "no keys";
    case Layout::kBloomlineFlat:
      return "bloomline flat";
    case Layout::kBloomlineBlocked:
      return "bloomline blocked";
    case Layout::kBloomlineSmallSet:
      return "bloomline small set";
    case Layout::kBloomlineCompact:
      return "bloomline compact";
    case Layout::kClassic:
      return "LevelDB Bloom";
    case Layout::kRocksDBBloom:
      return "RocksDB Bloom";
    case Layout::kRocksDBRibbon:
      return "RocksDB Ribbon";
    case Layout::kRocksDBLegacy:
      return "RocksDB legacy Bloom";
  }
  return "unknown";
}

bool IsBloomline(Layout layout) {
  return layout == Layout::kBloomlineFlat || layout == Layout::kBloomlineBlocked ||
         layout == Layout::kBloomlineSmallSet || layout == Layout::kBloomlineCompact;
}

EngineFilter EngineFilter::Open(Container container, std::string_view name,
                                std::string_view bytes) {
  switch (container) {
    case Container::kLevelDB:
      return OpenLevelDB(name, bytes);
    case Container::kRocksDB:
      return OpenRocksDB(name, bytes);
    case Container::kRocksDBByOffset:
      break;
  }
  return OpenRocksDBByOffset(name, bytes);
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
