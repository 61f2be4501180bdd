#include "src/inspect/engine_filters/engine_filter.h"

#include <algorithm>

#include "src/inspect/engine_filters/opened_filter.h"
#include "src/support/out_of_memory.h"

namespace bloomline::engine_filters {
namespace {

EngineFilter OpenIn(Container container, std::string_view name, std::string_view bytes) {
  switch (container) {
    case Container::kLevelDB:
      return OpenLevelDB(name, bytes);
    case Container::kRocksDB:
      return OpenRocksDB(name, bytes);
    case Container::kRocksDBByOffset:
      return OpenRocksDBByOffset(name, bytes);
  }
  return {};
}

}  // namespace

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
  return support::OrIfOutOfMemory(EngineFilter(), [&] { return OpenIn(container, name, bytes); });
}

double EngineFilter::ExpectedRate(uint64_t num_keys) const {
  return engine_filters::ExpectedRate(facts_, num_keys);
}
double EngineFilter::RateFromBits() const { return engine_filters::RateFromBits(facts_); }
double EngineFilter::EntriesFromBits() const { return engine_filters::EntriesFromBits(facts_); }

bool EngineFilter::MayMatch(std::string_view key) const {
  bool may_match;
  return MayMatch(1, &key, &may_match) == 1;
}

size_t EngineFilter::MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
  if (query_ == nullptr) {
    std::fill_n(may_match, n, true);
  } else {
    query_(n, keys, may_match);
  }
  return static_cast<size_t>(std::count(may_match, may_match + n, true));
}

}  // namespace bloomline::engine_filters
