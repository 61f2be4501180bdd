#include <memory>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/tool/inspect/foreign_file.h"
#include "src/tool/inspect/inspect.h"

namespace bloomline::tool {
namespace {

const char* LayoutName(BloomLayout layout) {
  switch (layout) {
    case BloomLayout::kBlocked:
      return "blocked";
    case BloomLayout::kStandard:
      return "standard";
    case BloomLayout::kBlocked128:
      return "blocked, 128 bits";
    case BloomLayout::kBlocked64:
      return "blocked, 64 bits";
  }
  return "unknown";
}

Fact KindFact(const std::string& kind) { return {"kind", kind, "saved", kind}; }

Fact CapacityFact(uint64_t capacity) {
  return {"capacity", capacity, "capacity",
          capacity == 0 ? "not stated" : CountText(capacity) + " keys"};
}

// Appends what BloomFilterBase and ScalableBloomFilter have in common.
template <typename Filter>
void AppendEstimates(const Filter& filter, Facts* facts) {
  facts->push_back(CountFact("num_bits", "bits", filter.num_bits()));
  facts->push_back(CapacityFact(filter.capacity()));
  facts->push_back(CountFact("num_keys", "keys added that changed a bit", filter.num_keys()));
  facts->push_back(CountFact("estimated_num_keys", "keys, estimated from the bits set",
                             filter.EstimatedNumKeys()));
  facts->push_back(RateFact("estimated_false_positive_rate",
                            "false positives, estimated from the bits set",
                            filter.EstimatedFalsePositiveRate()));
  AppendRandomMatchRate([&](size_t n, const std::string_view* keys,
                            bool* answers) { filter.MayMatch(n, keys, answers); },
                        facts);
}

Facts BloomFacts(const BloomFilterBase& filter) {
  Facts facts = {KindFact("BloomFilter"),
                 {"layout", LayoutName(filter.layout()), "layout", LayoutName(filter.layout())},
                 CountFact("num_probes", "probes", static_cast<uint64_t>(filter.num_probes())),
                 {"seed", filter.seed(), "seed", std::to_string(filter.seed())}};
  AppendEstimates(filter, &facts);
  return facts;
}

std::optional<Facts> InspectBloom(const WholeInput& file, std::string* error) {
  if (file.path().empty()) {
    const auto filter = LoadSaved<BloomFilter>(file, error);
    if (filter == nullptr) return std::nullopt;
    return BloomFacts(*filter);
  }
  const auto filter =
      MappedBloomFilter::Open(file.path(), MappedBloomFilter::Verify::kPayload, error);
  if (filter == nullptr) return std::nullopt;
  return BloomFacts(*filter);
}

std::optional<Facts> InspectScalable(const WholeInput& file, std::string* error) {
  const auto filter = LoadSaved<ScalableBloomFilter>(file, error);
  if (filter == nullptr) return std::nullopt;
  const ScalableBloomFilterOptions& options = filter->options();
  Facts facts = {
      KindFact("ScalableBloomFilter"),
      {"layout", LayoutName(options.layout), "layout", LayoutName(options.layout)},
      {"seed", options.seed, "seed", std::to_string(options.seed)},
      CountFact("num_stages", "stages", filter->num_stages()),
      RateFact("bound", "bound of the false-positive rate", options.false_positive_rate)};
  AppendEstimates(*filter, &facts);
  return facts;
}

std::optional<Facts> InspectCounting(const WholeInput& file, std::string* error) {
  const auto filter = LoadSaved<CountingBloomFilter>(file, error);
  if (filter == nullptr) return std::nullopt;
  Facts facts = {
      KindFact("CountingBloomFilter"),
      {"num_counters", filter->num_counters(), "counters",
       CountText(filter->num_counters()) + " of " + std::to_string(filter->counter_bits()) +
           " bits"},
      {"counter_bits", filter->counter_bits(), "", ""},
      CountFact("num_probes", "probes", static_cast<uint64_t>(filter->num_probes())),
      {"seed", filter->seed(), "seed", std::to_string(filter->seed())},
      CapacityFact(filter->capacity()),
      CountFact("num_keys", "keys, including repeats", filter->num_keys()),
      CountFact("num_saturated_counters", "saturated counters", filter->num_saturated_counters())};
  AppendRandomMatchRate([&](size_t n, const std::string_view* keys,
                            bool* answers) { filter->MayMatch(n, keys, answers); },
                        &facts);
  return facts;
}

}  // namespace

std::optional<Facts> InspectSavedFilter(const WholeInput& file, std::string* error) {
  switch (SavedKindOf(file.bytes())) {
    case SavedKind::kBloom:
      return InspectBloom(file, error);
    case SavedKind::kScalable:
      return InspectScalable(file, error);
    case SavedKind::kCounting:
      return InspectCounting(file, error);
    case SavedKind::kNone:
      break;
  }
  *error = file.name() + ": is no saved filter";
  return std::nullopt;
}

}  // namespace bloomline::tool
