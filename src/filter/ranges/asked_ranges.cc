#include "src/filter/ranges/asked_ranges.h"

#include <algorithm>
#include <array>
#include <functional>

namespace bloomline::filter {
namespace {

constexpr auto kUnordered = std::memory_order_relaxed;

constexpr uint32_t kNumFirst = 1000;  // ranges of the process that are all added
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

uint32_t Pack(const AskedShape& shape) {
  static_assert(kMaxCellBits < 1 << 15);
  return (shape.is_prefix ? 1U << 31 : 0) | uint32_t{shape.resolution_bits} << 16 |
         uint32_t{shape.last_byte} << 8 | shape.depth;
}

AskedShape Unpack(uint64_t slot) {
  return {static_cast<uint16_t>(slot >> 16 & 0x7fff), (slot >> 31 & 1) != 0,
          static_cast<uint8_t>(slot >> 8), static_cast<uint8_t>(slot),
          static_cast<uint32_t>(slot >> 32)};
}

}  // namespace

bool RangeShape(const KeyLimits& limits, std::string_view begin, std::string_view end,
                AskedShape* shape) {
  KeyInterval numbers;
  numbers.num_bytes = kMaxCellBytes;
  if (!numbers.Set(limits, begin, end)) return false;
  *shape = AskedShape();
  shape->resolution_bits = static_cast<uint16_t>(numbers.ResolutionBits(limits));
  shape->is_prefix = CompareWithSuccessor(end, begin) == 0;
  if (!shape->is_prefix) return true;
  shape->last_byte = static_cast<uint8_t>(begin.back());
  const auto depth = std::count(begin.begin(), begin.end(), begin.back());
  shape->depth = static_cast<uint8_t>(std::min<decltype(depth)>(depth, UINT8_MAX));
  return true;
}

void AskedRanges::Add(std::string_view begin, std::string_view end, const KeyLimits& limits) {
  AskedShape asked;
  if (begin.empty() || begin >= end || !RangeShape(limits, begin, end, &asked)) return;
  const uint32_t shape = Pack(asked);
  static_assert(kNumSlots / kBucketSlots == 1 << 3);
  std::atomic<uint64_t>* const bucket = slots_ + kBucketSlots * (shape * 0x9E3779B1U >> (32 - 3));
  // The slot of the shape, or else the first slot with the least count, which is 0 if it is free.
  std::atomic<uint64_t>* slot = bucket;
  uint64_t old = UINT64_MAX;
  for (size_t i = 0; i < kBucketSlots; ++i) {
    const uint64_t value = bucket[i].load(kUnordered);
    const bool has_shape = static_cast<uint32_t>(value) == shape;
    if (has_shape || value >> 32 < old >> 32) {
      old = value;
      slot = bucket + i;
    }
    if (has_shape) break;
  }
  const uint64_t count = (old >> 32) + 1;
  const bool takes_slot = RandomBelow(static_cast<uint32_t>(count)) == 0;
  const uint64_t added = count << 32 | (takes_slot ? shape : static_cast<uint32_t>(old));
  if (slot->compare_exchange_strong(old, added, kUnordered) && count == kMaxCount) HalveCounts();
}

void AskedRanges::HalveCounts() {
  for (std::atomic<uint64_t>& slot : slots_) {
    uint64_t old = slot.load(kUnordered);
    while (!slot.compare_exchange_weak(old, old >> 33 << 32 | static_cast<uint32_t>(old),
                                       kUnordered)) {
    }
  }
}

size_t AskedRanges::Copy(AskedShape* shapes, size_t max) const {
  uint64_t copied[kNumSlots];
  std::transform(slots_, slots_ + kNumSlots, copied,
                 [](const std::atomic<uint64_t>& slot) { return slot.load(kUnordered); });
  std::sort(copied, copied + kNumSlots, std::greater<>());
  size_t n = 0;
  for (; n < std::min(max, kNumSlots) && copied[n] >> 32 != 0; ++n) shapes[n] = Unpack(copied[n]);
  return n;
}

uint64_t AskedRanges::num_ranges() const {
  uint64_t sum = 0;
  for (const std::atomic<uint64_t>& slot : slots_) sum += slot.load(kUnordered) >> 32;
  return sum;
}

void AskedByFamily::AddSampled(uint32_t family, const KeyLimits& limits, std::string_view begin,
                               std::string_view end) {
  // The range that brings this number to 0 is the next sample.
  static thread_local uint32_t ranges_to_next_sample = 1;
  if (--ranges_to_next_sample != 0) return;
  ranges_to_next_sample = RangesToNextSample();
  OfFamily(family).Add(begin, end, limits);
}

AskedRanges& AskedByFamily::OfFamily(uint32_t family) {
  size_t i = family == 0 ? 0 : 1;
  for (; i + 1 < kMaxFamilies; ++i) {
    uint32_t found = families_[i].load(kUnordered);
    if (found == 0 && families_[i].compare_exchange_strong(found, family, kUnordered)) break;
    if (found == family) break;
  }
  return ranges_[i];
}

const AskedRanges* AskedByFamily::Find(uint32_t family) const {
  size_t i = family == 0 ? 0 : 1;
  for (; i + 1 < kMaxFamilies; ++i) {
    const uint32_t found = families_[i].load(kUnordered);
    if (found == family) break;
    if (found == 0) return nullptr;
  }
  return ranges_[i].num_ranges() == 0 ? nullptr : &ranges_[i];
}

RangeCounts::SampledRanges SampledPlaces(const AskedRanges& asked) {
  constexpr uint64_t kEnough = 100;
  constexpr double kLeastPart = 0.01;
  std::array<AskedShape, AskedRanges::kNumSlots> shapes;
  const size_t num_shapes = asked.Copy(shapes.data(), shapes.size());
  // Indexed by place: the prefixes of one length end in many bytes.
  std::array<RangeCounts::SampledRange, AskedRanges::kNumSlots> ranges;
  auto* end = ranges.begin();
  double sum = 0;
  for (size_t i = 0; i < num_shapes; ++i) {
    const AskedShape& shape = shapes[i];
    RangeCounts::SampledRange range = {RangeCounts::kDelimiters.size(), 0, shape.resolution_bits,
                                       0};
    const size_t delimiter = RangeCounts::kDelimiters.find(static_cast<char>(shape.last_byte));
    if (shape.is_prefix && delimiter != std::string_view::npos) {
      range = {delimiter, std::min<size_t>(shape.depth, kMaxDepth), 0, 0};
    }
    auto* const same = std::find_if(ranges.begin(), end, [&](const auto& other) {
      return other.delimiter == range.delimiter && other.depth == range.depth &&
             other.bits == range.bits;
    });
    if (same == end) *end++ = range;
    same->weight += shape.count;
    sum += shape.count;
  }
  RangeCounts::SampledRanges sample;
  if (asked.num_ranges() < kEnough) return sample;
  std::sort(ranges.begin(), end, [](const auto& a, const auto& b) { return a.weight > b.weight; });
  for (auto* range = ranges.begin(); range != end; ++range) {
    if (range->weight < kLeastPart * sum || sample.size == sample.ranges.size()) break;
    range->weight /= sum;
    sample.ranges[sample.size++] = *range;
  }
  return sample;
}

}  // namespace bloomline::filter
