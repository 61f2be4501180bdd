// The parts of an EngineFilter: the facts of a filter, and its queries.
#ifndef BLOOMLINE_DB_ENGINE_FILTERS_OPENED_FILTER_H_
#define BLOOMLINE_DB_ENGINE_FILTERS_OPENED_FILTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/db/engine_filters/engine_filter.h"
#include "src/filter/bits/filter_shape.h"

namespace bloomline::engine_filters {

// Answers the same to every key.
inline Query Constant(bool answer) {
  return [answer](size_t n, const std::string_view*, bool* may_match) {
    std::fill_n(may_match, n, answer);
  };
}

// Queries through a reader of src/filter/stock/readers.h.
template <typename Reader>
EngineFilter OpenReader(FilterFacts facts, const Reader& reader) {
  Query query = [reader](size_t n, const std::string_view* keys, bool* answers) {
    constexpr size_t kBatchKeys = 32;
    uint64_t hashes[kBatchKeys];
    for (size_t start = 0; start < n; start += kBatchKeys) {
      const size_t count = std::min(kBatchKeys, n - start);
      for (size_t i = 0; i < count; ++i) {
        hashes[i] = reader.Hash(keys[start + i]);
        reader.Prefetch(hashes[i]);
      }
      reader.MayMatchMany(count, hashes, answers + start);
    }
  };
  return EngineFilter(std::move(facts), std::move(query));
}

inline EngineFilter OpenConstant(FilterFacts facts, Kind kind) {
  facts.kind = kind;
  facts.num_probes = 0;
  return EngineFilter(std::move(facts), Constant(kind != Kind::kNoKeys));
}

// Matches every key.
inline EngineFilter NotUnderstood(FilterFacts facts, std::string why) {
  facts.why = std::move(why);
  return OpenConstant(std::move(facts), Kind::kUnknown);
}

// `name` and `bytes` as for EngineFilter::Open.
EngineFilter OpenLevelDB(std::string_view name, std::string_view bytes);
EngineFilter OpenRocksDB(std::string_view name, std::string_view bytes);

inline FilterFacts FactsOf(const filter::Payload& payload) {
  FilterFacts facts;
  facts.kind = payload.always_matches() ? Kind::kUnknown : KindOf(payload.layout);
  facts.payload = payload;
  facts.num_probes = payload.num_probes;
  facts.data = payload.data;
  facts.payload_bytes = payload.payload_bytes();
  facts.num_blocks = payload.num_blocks;
  facts.block_bytes = payload.block_bytes;
  return facts;
}

// Understood, but its keys cannot be queried here: matches every key.
inline EngineFilter CannotQuery(FilterFacts facts, std::string why) {
  facts.can_query = false;
  facts.why = std::move(why);
  return EngineFilter(std::move(facts), Constant(true));
}

inline EngineFilter UnknownPolicy(FilterFacts facts, std::string_view name) {
  return NotUnderstood(std::move(facts),
                       "the filter policy " + std::string(name) + " is not known");
}

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_OPENED_FILTER_H_
