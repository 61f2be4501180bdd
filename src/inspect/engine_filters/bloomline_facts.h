// Filters of bloomline as facts, and filters whose keys cannot be queried.
#ifndef BLOOMLINE_INSPECT_ENGINE_FILTERS_BLOOMLINE_FACTS_H_
#define BLOOMLINE_INSPECT_ENGINE_FILTERS_BLOOMLINE_FACTS_H_

#include <string>
#include <string_view>
#include <utility>

#include "src/filter/format/layout.h"
#include "src/inspect/engine_filters/opened_filter.h"

namespace bloomline::engine_filters {

inline Layout LayoutOf(filter::Layout layout) {
  switch (layout) {
    case filter::Layout::kClassic:
      return Layout::kClassic;
    case filter::Layout::kBlocked:
      return Layout::kBloomlineBlocked;
    case filter::Layout::kFlat:
      return Layout::kBloomlineFlat;
    case filter::Layout::kCompact:
      return Layout::kBloomlineCompact;
    case filter::Layout::kSmallSet:
      return Layout::kBloomlineSmallSet;
    case filter::Layout::kAlwaysMatch:
      break;
  }
  return Layout::kUnknown;
}

inline FilterFacts FactsOf(const filter::Payload& payload) {
  FilterFacts facts;
  facts.layout = LayoutOf(payload.layout);
  facts.num_probes = payload.num_probes;
  facts.data = payload.data;
  facts.payload_bytes = payload.payload_bytes();
  facts.num_blocks = payload.num_blocks;
  facts.block_bytes = payload.block_bytes;
  return facts;
}

// Understood, but its keys cannot be queried here: matches every key.
inline OpenedPointer CannotQuery(FilterFacts facts, std::string canonicalizer, std::string why) {
  facts.can_query = false;
  facts.canonicalizer = std::move(canonicalizer);
  facts.why = std::move(why);
  return std::make_shared<const ConstantFilter>(std::move(facts), true);
}

inline OpenedPointer OfCanonicalizer(FilterFacts facts, std::string_view name) {
  return CannotQuery(std::move(facts), std::string(name),
                     "its keys are canonical forms, which only the key canonicalizer " +
                         std::string(name) + " knows");
}

inline OpenedPointer UnknownPolicy(FilterFacts facts, std::string_view name) {
  return NotUnderstood(std::move(facts),
                       "the filter policy " + std::string(name) + " is not known");
}

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_INSPECT_ENGINE_FILTERS_BLOOMLINE_FACTS_H_
