#include "src/filter/ranges/asked_ranges.h"

#include <algorithm>
#include <functional>

namespace bloomline::filter {
namespace {

constexpr auto kUnordered = std::memory_order_relaxed;

constexpr uint32_t kNumFirst = 1000;  // ranges of the process, all of which are added
constexpr uint32_t kRangesPerSample = 16;
std::atomic<uint32_t> num_first{0};

// 32 bits of a linear congruential generator (Knuth's MMIX), the same sequence in each thread.
uint32_t Random32() {
  thread_local uint64_t state = 1;
  state = state * 6364136223846793005 + 1442695040888963407;
  return static_cast<uint32_t>(state >> 32);
}

// Below n.
uint32_t RandomBelow(uint32_t n) { return static_cast<uint32_t>((uint64_t{Random32()} * n) >> 32); }

uint32_t RangesToNextSample() {
  if (num_first.load(kUnordered) < kNumFirst) {
    num_first.fetch_add(1, kUnordered);
    return 1;
  }
  return 1 + RandomBelow(2 * kRangesPerSample - 1);
}

bool IsNextSample() {
  // The range that brings this number to 0 is the next sample.
  static thread_local uint32_t ranges_to_next_sample = 1;
  if (--ranges_to_next_sample != 0) return false;
  ranges_to_next_sample = RangesToNextSample();
  return true;
}

// A place: 10 bits for the length of cells, 4 for the delimiter, and 4 for the depth.
uint32_t Pack(const RangeCounts::SampledRange& range) {
  static_assert(kMaxCellBits < 1 << 10 && kMaxDepth < 1 << 4);
  static_assert(kDelimiters.size() < 1 << 4);
  return static_cast<uint32_t>(range.bits << 8 | range.delimiter << 4 | range.depth);
}

RangeCounts::SampledRange Unpack(uint64_t slot) {
  return {slot >> 4 & 15, slot & 15, slot >> 8 & 1023, static_cast<double>(slot >> 32)};
}

}  // namespace

bool EndOfRange(const KeyLimits& limits, std::string_view begin, std::string_view end,
                RangeCounts::SampledRange* range) {
  KeyInterval numbers;
  numbers.num_bytes = kMaxCellBytes;
  if (!numbers.Set(limits, begin, end)) return false;
  const size_t delimiter = kDelimiters.find(begin.back());
  if (delimiter == std::string_view::npos || CompareWithSuccessor(end, begin) != 0) {
    *range = {kDelimiters.size(), 0, numbers.ResolutionBits(limits), 0};
  } else {
    const auto depth = static_cast<size_t>(std::count(begin.begin(), begin.end(), begin.back()));
    *range = {delimiter, std::min(depth, kMaxDepth), 0, 0};
  }
  return true;
}

void AskedRanges::Add(std::string_view begin, std::string_view end, const KeyLimits& limits) {
  RangeCounts::SampledRange asked;
  if (begin.empty() || begin >= end || !EndOfRange(limits, begin, end, &asked)) return;
  const uint32_t place = Pack(asked);
  static_assert(kNumSlots / kBucketSlots == 1 << 3);
  std::atomic<uint64_t>* const bucket = slots_ + kBucketSlots * (place * 0x9E3779B1U >> (32 - 3));
  // The slot of the place, or else the first slot with the least count, which is 0 if it is free.
  std::atomic<uint64_t>* slot = bucket;
  uint64_t old = UINT64_MAX;
  for (size_t i = 0; i < kBucketSlots; ++i) {
    const uint64_t value = bucket[i].load(kUnordered);
    const bool is_same = static_cast<uint32_t>(value) == place;
    if (is_same || value >> 32 < old >> 32) {
      old = value;
      slot = bucket + i;
    }
    if (is_same) break;
  }
  const uint64_t count = (old >> 32) + 1;
  const bool takes_slot = RandomBelow(static_cast<uint32_t>(count)) == 0;
  const uint64_t added = count << 32 | (takes_slot ? place : static_cast<uint32_t>(old));
  if (slot->compare_exchange_strong(old, added, kUnordered) && count == kMaxCount) HalveCounts();
}

void AskedRanges::AddSampled(std::string_view begin, std::string_view end,
                             const KeyLimits& limits) {
  if (IsNextSample()) Add(begin, end, limits);
}

void AskedRanges::HalveCounts() {
  for (std::atomic<uint64_t>& slot : slots_) {
    uint64_t old = slot.load(kUnordered);
    while (!slot.compare_exchange_weak(old, old >> 33 << 32 | static_cast<uint32_t>(old),
                                       kUnordered)) {
    }
  }
}

size_t AskedRanges::Copy(RangeCounts::SampledRange* ranges, size_t max) const {
  uint64_t copied[kNumSlots];
  std::transform(slots_, slots_ + kNumSlots, copied,
                 [](const std::atomic<uint64_t>& slot) { return slot.load(kUnordered); });
  std::sort(copied, copied + kNumSlots, std::greater<>());
  size_t n = 0;
  for (; n < std::min(max, kNumSlots) && copied[n] >> 32 != 0; ++n) ranges[n] = Unpack(copied[n]);
  return n;
}

uint64_t AskedRanges::num_ranges() const {
  uint64_t sum = 0;
  for (const std::atomic<uint64_t>& slot : slots_) sum += slot.load(kUnordered) >> 32;
  return sum;
}

RangeCounts::SampledRanges SampledPlaces(const AskedRanges& asked) {
  constexpr double kEnough = 100;
  constexpr double kLeastPart = 0.01;
  RangeCounts::SampledRanges sample;
  auto& ranges = sample.ranges;
  const auto sum = static_cast<double>(asked.num_ranges());
  if (sum < kEnough) return sample;
  sample.size = asked.Copy(ranges.data(), ranges.size());
  while (sample.size != 0 && ranges[sample.size - 1].weight < kLeastPart * sum) --sample.size;
  for (size_t i = 0; i < sample.size; ++i) ranges[i].weight /= sum;
  return sample;
}

}  // namespace bloomline::filter
