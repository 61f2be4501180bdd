#include "src/filter/ranges/asked_places.h"

#include <cmath>

namespace bloomline::filter {
namespace {

// ---- A model of what scans ask for, used until scans are known.

// Weights of kinds of ranges. Ranges of whole bytes end at the ends of fields; ranges of numbers
// have any size; points are ranges in which two keys hardly ever lie.
constexpr double kWeightOfPrefixes = 1;
constexpr double kWeightOfBytes = 1;
constexpr double kWeightOfNumbers = 0.1;
constexpr double kWeightOfPoints = 0.5;
// In addition to delimiters.
constexpr double kBesideDelimiters = 0.05;

constexpr double kNearlyAll = 0.9;

// A place says more than the one before if it has this many times its entries.
constexpr double kSaysMore = 1.05;

void Normalize(Asked* begin, Asked* end, double weight) {
  double sum = 0;
  for (const Asked* asked = begin; asked != end; ++asked) sum += asked->weight;
  for (Asked* asked = begin; asked != end; ++asked) asked->weight *= weight / sum;
}

}  // namespace

AskedPlaces::AskedPlaces(const RangeCounts& counts, const RangeMemory& memory)
    : counts_(counts), memory_(memory) {
  counts.CopyNumCells(&num_cells_);
  if (counts.sample().size != 0) {
    AddSample();
  } else {
    AddPrefixes();
    AddCells();
  }
}

void AskedPlaces::AddPrefixes() {
  const bool only_sure = counts_.num_sure_prefixes() != 0;
  const size_t first = asked_.size;
  for (size_t delimiter = 0; delimiter < RangeCounts::kDelimiters.size(); ++delimiter) {
    if (only_sure && delimiter >= RangeCounts::kNumSureDelimiters) break;
    if (!counts_.IsFrequent(delimiter)) continue;
    double last = 1;
    for (size_t depth = 1; depth <= counts_.max_depth(delimiter); ++depth) {
      const double entries = counts_.num_prefixes(delimiter, depth);
      // No new entries: the part between the two is the same in all keys.
      const bool is_same = entries < kSaysMore * last && last < kSaysMore * entries;
      if (entries < 2 || is_same) continue;
      last = entries;
      const Place place = {delimiter, depth, 0, entries};
      candidates_.Add({place, 0});
      asked_.Add({place, 1});
      has_prefixes_ = true;
    }
  }
  Normalize(asked_.begin() + first, asked_.end(), kWeightOfPrefixes);
}

void AskedPlaces::AddCells() {
  if (counts_.SurePrefixesTakeAll()) return;
  const double beside = has_prefixes_ ? kBesideDelimiters : 1;
  const size_t first_candidate = candidates_.size;
  const size_t first = asked_.size;
  // Fields end at bytes. Text has no numbers that are cells.
  const size_t step = counts_.is_text() ? 8 : 4;
  double last = 1;
  for (size_t bits = step; bits <= counts_.max_bits(); bits += step) {
    const double entries = num_cells(bits);
    const bool is_key = memory_.key_bits != 0 && bits >= memory_.key_bits;
    if (entries == last || is_key) continue;
    const Place place = {kCells, 0, bits, entries};
    if (entries >= kSaysMore * last || candidates_.size == first_candidate) {
      candidates_.Add({place, 0});
      last = entries;
    } else if (bits % 8 == 0 && candidates_.end()[-1].place.bits % 8 != 0) {
      // If two are equal, we take the one that may be the end of a field.
      candidates_.end()[-1].place = place;
      last = entries;
    } else {
      continue;
    }
    if (bits % 8 != 0) continue;
    asked_.Add({place, counts_.is_text() ? WeightInText(place) : WeightOfFieldEnd(place)});
  }
  Normalize(asked_.begin() + first, asked_.end(), kWeightOfBytes * beside);
  if (candidates_.size == first_candidate) return;
  if (counts_.is_text()) {
    // The shortest cells that distinguish nearly all keys serve the most ranges.
    while (candidates_.size - first_candidate > 1 &&
           candidates_.end()[-2].place.num_entries > kNearlyAll * num_keys()) {
      --candidates_.size;
    }
    asked_.Add({candidates_.end()[-1].place, kWeightOfPoints * beside});
    return;
  }
  const size_t first_number = asked_.size;
  for (size_t i = first_candidate; i < candidates_.size; ++i) {
    asked_.Add({candidates_.items[i].place, 1});
  }
  Normalize(asked_.begin() + first_number, asked_.end(), kWeightOfNumbers);
}

// A byte that distinguishes many keys, before one that does not, ends a field. But once all keys
// are distinguished, no byte can do that. This may be a field, too: a file of an upper level has
// one key of each, in the last level it would have more.
double AskedPlaces::WeightOfFieldEnd(const Place& place) const {
  constexpr double kWithAllKeys[] = {0.02, 0.3};
  const double weight =
      std::min(1.0, std::log2(Times(place.bits))) / (0.05 + std::log2(Times(place.bits + 8)));
  return place.num_entries < kNearlyAll * num_keys()
             ? weight
             : weight * kWithAllKeys[memory_.num_levels_below == 0 ? 0 : 1];
}

// A full tree has all digits, or all letters, everywhere. We count the part of the tree that is
// missing: beginnings of a length after a shorter one that is there.
double AskedPlaces::WeightInText(const Place& place) const {
  constexpr double kDigits = 10;
  constexpr double kLetters = 26;
  const double times = Times(place.bits);
  const double absent = std::max(0.05, 1 - times / (times > kDigits ? kLetters : kDigits));
  return absent * std::log2(times) / (0.2 + std::log2(Times(place.bits + 8)));
}

// Adds the ranges of the sample, with entries of their places and of shorter ones.
void AskedPlaces::AddSample() {
  enum : uint8_t { kNotUsed, kShorter, kAsked };
  std::array<uint8_t, kMaxCellBits + 1> use = {};
  std::array<size_t, kCells> max_depth = {};
  for (const RangeCounts::SampledRange& range : counts_.sample()) {
    Place place = {range.delimiter, range.depth, range.bits, 0};
    if (range.delimiter == kCells) {
      place.num_entries = num_cells(range.bits);
      const size_t asked_bits = std::min(range.bits, kMaxCellBits);
      for (size_t bits = asked_bits; bits > 0; bits = (bits - 1) / 8 * 8) {
        use[bits] = std::max<uint8_t>(use[bits], bits == asked_bits ? kAsked : kShorter);
      }
    } else {
      place.num_entries = counts_.num_prefixes(range.delimiter, range.depth);
      max_depth[range.delimiter] = counts_.max_depth(range.delimiter);
    }
    if (place.num_entries >= 2) asked_.Add({place, range.weight});
  }
  double last = 1;
  for (size_t bits = 1; bits <= std::min(counts_.max_bits(), kMaxCellBits); ++bits) {
    const bool is_key = memory_.key_bits != 0 && bits >= memory_.key_bits;
    if (use[bits] == kNotUsed || is_key) continue;
    if (use[bits] == kShorter && num_cells(bits) < kSaysMore * last) continue;
    last = num_cells(bits);
    candidates_.Add({{kCells, 0, bits, last}, 0});
  }
  for (size_t delimiter = 0; delimiter < kCells; ++delimiter) {
    for (size_t depth = 1; depth <= max_depth[delimiter]; ++depth) {
      const double entries = counts_.num_prefixes(delimiter, depth);
      if (entries >= 2) candidates_.Add({{delimiter, depth, 0, entries}, 0});
    }
  }
}

RangeCounts::Sample SampleOf(const AskedRanges& asked) {
  constexpr uint64_t kEnough = 100;
  constexpr double kLeastPart = 0.01;
  std::array<AskedShape, AskedRanges::kNumSlots> shapes;
  const size_t num_shapes = asked.Copy(shapes.data(), shapes.size());
  // Indexed by place: the prefixes of one length end in many bytes.
  List<RangeCounts::SampledRange, AskedRanges::kNumSlots> ranges;
  double sum = 0;
  for (size_t i = 0; i < num_shapes; ++i) {
    const AskedShape& shape = shapes[i];
    RangeCounts::SampledRange range = {kCells, 0, shape.resolution_bits, 0};
    const size_t delimiter = RangeCounts::kDelimiters.find(static_cast<char>(shape.last_byte));
    if (shape.is_prefix && delimiter != std::string_view::npos) {
      range = {delimiter, std::min<size_t>(shape.depth, kMaxDepth), 0, 0};
    }
    auto* const same = std::find_if(ranges.begin(), ranges.end(), [&](const auto& other) {
      return other.delimiter == range.delimiter && other.depth == range.depth &&
             other.bits == range.bits;
    });
    if (same == ranges.end()) ranges.Add(range);  // there is room for all
    same->weight += shape.count;
    sum += shape.count;
  }
  RangeCounts::Sample sample;
  if (asked.num_ranges() < kEnough) return sample;
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.weight > b.weight; });
  for (RangeCounts::SampledRange& range : ranges) {
    if (range.weight < kLeastPart * sum || sample.size == sample.ranges.size()) break;
    range.weight /= sum;
    sample.ranges[sample.size++] = range;
  }
  return sample;
}

}  // namespace bloomline::filter
