#include "src/engines/rocksdb/metrics/policy_counts.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"
#include "src/filter/stock/stock_filter.h"
#include "src/support/number_text.h"

namespace bloomline::engine {
namespace {

constexpr char kEngine[] = "rocksdb";

// The options that determine a policy's figures. A seed may be secret.
std::string PolicyLabel(const RocksDBFilterOptions& options, double bits_per_key) {
  if (bits_per_key == 0) return "none";
  std::string text = FormatName(options.format);
  if (!options.bits_by_level.empty()) {
    for (const double bits : options.bits_by_level) text += ":" + support::DoubleText(bits);
    return text;
  }
  text += ":" + support::DoubleText(bits_per_key);
  return options.auto_bits_by_level ? text + ":auto" : text;
}

// The fewest bits per key of the policy's filters; 0 if no level has filters.
double FewestBits(const RocksDBFilterOptions& options, double bits_per_key) {
  if (options.bits_by_level.empty()) return bits_per_key;
  double fewest = 0;
  for (const double bits : options.bits_by_level) {
    if (bits != 0 && (fewest == 0 || bits < fewest)) fewest = bits;
  }
  return fewest;
}

// ---- The origins of filters.

constexpr size_t kNumOrigins = 1 << 14;
constexpr unsigned kIndexBits = 16;
static_assert(filter::kMaxCounts < (1 << kIndexBits));

// The upper bits of the filter's hash, and the index of its counts. 0: none.
std::atomic<uint64_t> origins[kNumOrigins];

// The bits of a filter are random, so a few of them distinguish it from all others.
uint64_t PartHash(std::string_view filter) {
  constexpr size_t kPart = 256;
  const uint64_t start = filter::Hash64(filter.substr(0, kPart), filter.size());
  return filter::Hash64(filter.substr(filter.size() - std::min(filter.size(), kPart)), start);
}

std::atomic<uint64_t>& Place(uint64_t hash) { return origins[hash % kNumOrigins]; }

}  // namespace

filter::FilterCounts* CountsForPolicy(const RocksDBFilterOptions& options, Format flush_format,
                                      double bits_per_key) {
  filter::FilterCounts* const counts =
      filter::CountsFor({kEngine, PolicyLabel(options, bits_per_key), "", -1});
  if (bits_per_key != 0) {
    counts->SetExpected({options.format, flush_format, FewestBits(options, bits_per_key)});
  }
  return counts;
}

NewFileCounts::NewFileCounts(const filter::FilterCounts& of_policy, std::string_view column_family,
                             int level, Format format, double bits_per_key)
    : of_file_(filter::CountsFor(
          {kEngine, of_policy.labels().policy, std::string(column_family), level})) {
  if (bits_per_key != 0) of_file_->SetExpected({format, format, bits_per_key});
}

void NewFileCounts::Count(bool is_built, bool is_limited) {
  if (!is_built) {
    of_file_->Add(filter::Count::kNotBuilt, 1, filter::UselessReason::kOptions);
  } else if (is_limited) {
    of_file_->Add(filter::Count::kLimited, 1, filter::FilterLimit::kMemory);
  }
}

void RememberOrigin(std::string_view filter, const filter::FilterCounts& counts) {
  const uint64_t hash = PartHash(filter);
  Place(hash).store(hash >> kIndexBits << kIndexBits | counts.index(), std::memory_order_relaxed);
}

filter::FilterCounts* FindOrigin(std::string_view filter, filter::FilterCounts* unknown) {
  const uint64_t hash = PartHash(filter);
  const uint64_t found = Place(hash).load(std::memory_order_relaxed);
  if (found >> kIndexBits != hash >> kIndexBits) return unknown;
  filter::FilterCounts* const counts = filter::CountsAt(found & ((1 << kIndexBits) - 1));
  return counts == nullptr ? unknown : counts;
}

bool MatchesEverything(std::string_view filter) {
  const filter::Payload payload = filter::DecodeTrailer(filter);
  return filter == stock::kAlwaysMatchBytes ||
         (payload.always_matches() && !payload.is_unknown() && !payload.is_former_compact());
}

}  // namespace bloomline::engine
