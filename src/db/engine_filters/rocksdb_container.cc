// RocksDB's full filters and partitions: bloomline's, by their trailer, and RocksDB's own.
#include <cstdint>
#include <string>

#include "bloomline/filter.h"
#include "src/db/engine_filters/opened_filter.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/stock/readers.h"
#include "src/filter/view/hash_query.h"

namespace bloomline::engine_filters {
namespace {

EngineFilter OpenBloomline(std::string_view bytes) {
  std::string why;
  filter::Extension fields;
  const filter::Payload payload = filter::DecodeTrailer(bytes, &why, &fields);
  FilterFacts facts = FactsOf(payload);
  facts.entry_bytes = fields.second.payload_bytes();
  if (payload.always_matches()) {
    if (filter::SaysAlwaysMatch(bytes)) return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    return NotUnderstood(std::move(facts), std::move(why));
  }
  if (payload.num_blocks == 0) return OpenConstant(std::move(facts), Kind::kNoKeys);
  RangeQuery range_query;
  const auto ranges = filter::OpenedRanges(payload, fields, kernels::ActiveKernel());
  if (ranges.is_understood) {
    facts.ranges = ranges.field;
    range_query = [ranges](std::string_view begin, std::string_view end) {
      return filter::RangeMayMatch(ranges, begin, end);
    };
  }
  return EngineFilter(
      std::move(facts),
      [view = FilterView::Open(bytes)](size_t n, const std::string_view* keys, bool* may_match) {
        view.MayMatch(n, keys, may_match);
      },
      std::move(range_query));
}

}  // namespace

EngineFilter OpenRocksDB(std::string_view name, std::string_view bytes) {
  FilterFacts facts;
  facts.data = bytes.data();
  facts.payload_bytes = bytes.size();
  if (!name.empty() && name != kRocksDBName) return UnknownPolicy(std::move(facts), name);
  if (filter::HasTrailer(bytes)) return OpenBloomline(bytes);
  std::string why;
  const stock::StockFilter stock = stock::DecodeStockFilter(bytes, &why);
  facts.kind = static_cast<Kind>(stock.kind);
  facts.payload_bytes = stock.payload_bytes;
  facts.num_blocks = stock.num_blocks;
  facts.block_bytes = stock.block_bytes;
  facts.num_probes = stock.num_probes;
  if (facts.kind == Kind::kUnknown) return NotUnderstood(std::move(facts), std::move(why));
  if (facts.kind == Kind::kAlwaysMatch || facts.kind == Kind::kNoKeys) {
    return OpenConstant(std::move(facts), facts.kind);
  }
  if (facts.kind == Kind::kRocksDBRibbon) facts.ribbon = stock.ribbon;
  return stock::WithReader(stock, kernels::ActiveKernel().stock, [&](const auto& reader) {
    return OpenReader(std::move(facts), reader);
  });
}

}  // namespace bloomline::engine_filters
