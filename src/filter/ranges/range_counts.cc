#include "src/filter/ranges/range_counts.h"

#include <algorithm>

namespace bloomline::filter {
namespace {

constexpr uint8_t kOtherText = 0xfe;
constexpr uint8_t kNoText = 0xff;

// Returns for each byte the index of its delimiter, or one of these two.
constexpr std::array<uint8_t, 256> MakeByteKinds(std::string_view delimiters) {
  std::array<uint8_t, 256> kinds = {};
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = i < ' ' ? kNoText : kOtherText;
  for (size_t i = 0; i < delimiters.size(); ++i) {
    kinds[static_cast<unsigned char>(delimiters[i])] = static_cast<uint8_t>(i);
  }
  return kinds;
}
constexpr std::array<uint8_t, 256> kKinds = MakeByteKinds(kDelimiters);

uint8_t ByteKind(char byte) { return kKinds[static_cast<unsigned char>(byte)]; }

// Text may follow up to this many keys that are not text. Looking for delimiters in such a key
// takes 30 ns.
constexpr uint64_t kFewKeys = 64;

// The part of keys that contain a byte if it is a delimiter: most.
constexpr double kFrequent = 0.5;

}  // namespace

RangeCounts::RangeCounts(const SampledRanges& sample, const ChoiceConstants& constants)
    : sample_(sample), constants_(constants) {
  if (sample.size == 0) {
    max_depth_.fill(kMaxDepth);
    return;
  }
  max_bits_ = 0;
  for (const SampledRange& range : sample) {
    if (range.delimiter == kDelimiters.size()) {
      max_bits_ = std::max(max_bits_, 8 * CellBytes(std::min(range.bits, kMaxCellBits)));
    } else {
      uint8_t& depth = max_depth_[range.delimiter];
      depth = std::max(depth, static_cast<uint8_t>(range.depth));
    }
  }
}

size_t RangeCounts::CountDelimiters(const KeyDifference& key, size_t needed) {
  for (; num_places_ > 0 && places_[num_places_ - 1].at >= key.common_bytes; --num_places_) {
    const uint8_t kind = places_[num_places_ - 1].kind;
    if (--num_places_of_[kind] == 0) num_keys_with_[kind] += num_keys_ - 1 - has_since_[kind];
  }
  if (key.common_bytes <= other_at_) other_at_ = SIZE_MAX;
  std::array<bool, kDelimiters.size()> has_new = {};
  for (size_t at = key.common_bytes; at < key.key.size(); ++at) {
    const uint8_t kind = ByteKind(key.key[at]);
    if (kind == kOtherText) continue;
    if (kind == kNoText) {
      other_at_ = std::min(other_at_, at);
      continue;
    }
    places_[num_places_++] = {static_cast<uint16_t>(at), kind};
    if (num_places_of_[kind] == 0) has_since_[kind] = num_keys_ - 1;
    const size_t depth = std::min<size_t>(++num_places_of_[kind], kMaxDepth);
    ++num_prefixes_[kind][depth - 1];
    if (!has_new[kind]) ++num_siblings_[kind][depth - 1];
    has_new[kind] = true;
    if (depth <= max_depth_[kind]) needed = std::max(needed, at + 1);
  }
  if (other_at_ != SIZE_MAX && ++num_other_keys_ > kFewKeys && !is_text()) {
    is_text_ = false;
    has_delimiters_ = false;
  }
  return needed;
}

size_t RangeCounts::NeededBytes(const KeyDifference& key) const {
  size_t needed = key.common_bits < max_bits_ ? CellBytes(max_bits_) : 0;
  std::array<size_t, kDelimiters.size()> num_places_of = {};
  for (size_t at = 0; has_delimiters_ && at < key.key.size(); ++at) {
    const uint8_t kind = ByteKind(key.key[at]);
    if (kind >= num_places_of.size()) continue;
    const size_t depth = std::min(++num_places_of[kind], kMaxDepth);
    if (at >= key.common_bytes && depth <= max_depth_[kind]) needed = std::max(needed, at + 1);
  }
  return std::min(needed, key.key.size());
}

bool RangeCounts::IsFrequent(size_t delimiter) const {
  uint64_t with = num_keys_with_[delimiter];
  if (num_places_of_[delimiter] != 0) with += num_keys_ - has_since_[delimiter];
  return has_delimiters_ && is_text() && static_cast<double>(with) > kFrequent * num_keys();
}

double RangeCounts::num_sure_prefixes() const {
  const double few = constants_.nearly_all * num_keys();
  double most = 0;
  for (size_t delimiter = 0; delimiter < kNumSureDelimiters; ++delimiter) {
    if (max_depth(delimiter) == 0 || !IsFrequent(delimiter)) continue;
    for (size_t depth = 1; depth <= kMaxDepth; ++depth) {
      const double number = num_prefixes(delimiter, depth);
      if (number < few) most = std::max(most, number);
    }
  }
  return most > 1 ? most : 0;
}

bool RangeCounts::Forget(double max_entries) {
  constexpr size_t kFewBits = 2;  // a quarter of the cells, if each has two of the next length
  if (sample_.size != 0) return false;
  is_text_ = is_text();
  const bool has_sure = num_sure_prefixes() != 0;
  double num_cells = 1;
  size_t bits = 0;
  while (bits < max_bits_ && num_cells + num_new_from_bit_[bits] <= max_entries &&
         (bits % 8 != 0 || num_cells < constants_.nearly_all * num_keys())) {
    num_cells += num_new_from_bit_[bits++];
  }
  bool is_much = bits + kFewBits <= told_bits_;
  max_bits_ = bits;
  bool has_delimiters = false;
  for (size_t kind = 0; kind < max_depth_.size(); ++kind) {
    const bool is_sure = kind < kNumSureDelimiters;
    uint8_t depth = 0;
    while (depth < max_depth_[kind] && num_prefixes(kind, depth + 1) <= max_entries) ++depth;
    if ((has_sure && !is_sure) || !IsFrequent(kind)) depth = 0;
    is_much |= depth < max_depth_[kind];
    max_depth_[kind] = depth;
    has_delimiters |= max_depth_[kind] != 0;
  }
  has_delimiters_ = has_delimiters;
  if (is_much) told_bits_ = bits;
  return is_much;
}

void RangeCounts::CopyNumCells(NumCells* num_cells) const {
  double num = 1;
  for (size_t bits = 0; bits < kMaxCellBits; ++bits) {
    (*num_cells)[bits] = num;
    num += num_new_from_bit_[bits];
  }
  (*num_cells)[kMaxCellBits] = num;
}

}  // namespace bloomline::filter
