#include "src/engines/rocksdb/metrics/filter_origins.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"

namespace bloomline {
namespace {

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

void CountOtherFilter(std::string_view filter, filter::FilterCounts* counts) {
  const bool is_useless = MatchesEverything(filter);
  counts->Add(filter::Count::kOpened, 1,
              is_useless ? filter::OpenedKind::kMatchesEverything : filter::OpenedKind::kOther);
  if (is_useless) {
    counts->Add(filter::Count::kOpenedUseless, 1, filter::UselessReason::kSaidByWriter);
  }
}

bool MatchesEverything(std::string_view filter) {
  return filter::SaysAlwaysMatch(filter) ||
         (filter.size() == kStockTrailerBytes + 1 &&
          filter.find_first_not_of('\0') == std::string_view::npos);
}

}  // namespace bloomline
