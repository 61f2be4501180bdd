#include "src/filter/ranges/range_choice.h"

#include <algorithm>

namespace bloomline::filter {
namespace {

constexpr uint8_t kOtherText = 0xfe;
constexpr uint8_t kNoText = 0xff;

// For each byte the index of its delimiter, or one of these two.
constexpr std::array<uint8_t, 256> KindsOf(std::string_view delimiters) {
  std::array<uint8_t, 256> kinds = {};
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = i < ' ' ? kNoText : kOtherText;
  for (size_t i = 0; i < delimiters.size(); ++i) {
    kinds[static_cast<unsigned char>(delimiters[i])] = static_cast<uint8_t>(i);
  }
  return kinds;
}
constexpr std::array<uint8_t, 256> kKinds = KindsOf(RangeChoice::kDelimiters);

// A longer beginning is worth its entries if there are so many times as many as of the one before.
constexpr double kWorthMore = 1.25;

// The part of the entries that cells may take where there are delimiters.
constexpr double kCellsBesideDelimiters = 0.25;

uint8_t KindOf(char byte) { return kKinds[static_cast<unsigned char>(byte)]; }

}  // namespace

size_t RangeChoice::Count(const KeyDifference& key) {
  if (num_keys_++ != 0 && key.common_bits < kMaxCellBits) ++num_new_from_bit_[key.common_bits];
  size_t needed = key.common_bits < max_bits_ ? CellBytes(max_bits_) : 0;
  if (!is_text_) return std::min(needed, key.key.size());
  for (; num_places_ > 0 && places_[num_places_ - 1].at >= key.common_bytes; --num_places_) {
    --depth_[places_[num_places_ - 1].kind];
  }
  for (size_t at = key.common_bytes; at < key.key.size(); ++at) {
    const uint8_t kind = KindOf(key.key[at]);
    if (kind == kOtherText) continue;
    if (kind == kNoText) {
      is_text_ = false;
      break;
    }
    places_[num_places_++] = {static_cast<uint8_t>(at), kind};
    const size_t depth = ++depth_[kind];
    if (depth > kMaxDepth) continue;
    ++num_prefixes_[kind][depth - 1];
    if (depth <= max_depth_[kind]) needed = std::max(needed, at + 1);
  }
  return std::min(needed, key.key.size());
}

size_t RangeChoice::NeededBytes(const KeyDifference& key) const {
  size_t needed = key.common_bits < max_bits_ ? CellBytes(max_bits_) : 0;
  std::array<uint8_t, kDelimiters.size()> depth = {};
  for (size_t at = 0; is_text_ && at < key.key.size(); ++at) {
    const uint8_t kind = KindOf(key.key[at]);
    if (kind >= depth.size()) continue;
    ++depth[kind];
    if (at >= key.common_bytes && depth[kind] <= max_depth_[kind]) {
      needed = std::max(needed, at + 1);
    }
  }
  return std::min(needed, key.key.size());
}

void RangeChoice::ForgetCostly(double max_entries) {
  double num_cells = 1;
  size_t bits = 0;
  while (bits < max_bits_ && num_cells + num_new_from_bit_[bits] <= max_entries) {
    num_cells += num_new_from_bit_[bits++];
  }
  max_bits_ = bits;
  for (size_t kind = 0; kind < max_depth_.size(); ++kind) {
    double sum = 0;
    uint8_t depth = 0;
    while (depth < max_depth_[kind]) {
      sum += num_prefixes_[kind][depth];
      if (sum > max_entries) break;
      ++depth;
    }
    max_depth_[kind] = depth;
  }
}

EntryKinds RangeChoice::Choose(double max_entries, double max_longest) const {
  EntryKinds chosen;
  double left = max_entries;
  for (size_t kind = 0; is_text_ && kind < kDelimiters.size(); ++kind) {
    if (chosen.num_delimiters == kMaxDelimiters) break;
    EntryKinds::Delimiter delimiter = {static_cast<unsigned char>(kDelimiters[kind]), 0};
    double num_last = 1;
    for (size_t i = 0; i < max_depth_[kind] && num_prefixes_[kind][i] <= left; ++i) {
      if (num_prefixes_[kind][i] < kWorthMore * num_last) continue;
      num_last = num_prefixes_[kind][i];
      left -= num_last;
      delimiter.depths |= static_cast<uint8_t>(1U << i);
    }
    if (delimiter.depths != 0) chosen.delimiters[chosen.num_delimiters++] = delimiter;
  }

  // Where text has delimiters, its fields end there, and other cells say little.
  if (chosen.num_delimiters != 0) left = std::min(left, kCellsBesideDelimiters * max_entries);
  const auto add_cells = [&](size_t bits, double num_cells) {
    left -= num_cells;
    if (chosen.num_cell_lengths == kMaxCellLengths) {  // the coarsest goes
      std::copy(chosen.cell_bits + 1, chosen.cell_bits + kMaxCellLengths, chosen.cell_bits);
      --chosen.num_cell_lengths;
    }
    chosen.cell_bits[chosen.num_cell_lengths++] = static_cast<uint16_t>(bits);
  };
  double num_last = 1;
  double num_cells = 1;
  size_t bits = 0;
  for (; bits < max_bits_; ++bits) {
    if (bits % 8 == 0 && num_cells >= kWorthMore * num_last) {
      if (num_cells > left) break;
      add_cells(bits, num_cells);
      num_last = num_cells;
    }
    num_cells += num_new_from_bit_[bits];
  }
  // The longest that is left room for.
  left = std::min(left, max_longest);
  for (; bits > 0 && num_cells > left; --bits) num_cells -= num_new_from_bit_[bits - 1];
  const bool is_longer =
      chosen.num_cell_lengths == 0 || bits > chosen.cell_bits[chosen.num_cell_lengths - 1];
  if (bits > 0 && is_longer && num_cells >= kWorthMore * num_last) add_cells(bits, num_cells);
  return chosen;
}

}  // namespace bloomline::filter
