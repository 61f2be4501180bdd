#include "src/filter/ranges/range_entries.h"

#include <algorithm>
#include <cstring>

#include "src/filter/ranges/range_property.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

// What a property has beside its entries.
constexpr uint64_t kMostBytesBeside = 2048;
static_assert(kMostBytesBeside >
              kMaxStoredKeyBytes + kMaxRangeFieldBytes + 2 * kMaxCellBytes + 100);

// `previous` is the key before. Returns false if the keys are not in the order of bytes.
bool Compare(std::string_view previous, std::string_view begin, KeyDifference* added) {
  const size_t least = std::min(begin.size(), previous.size());
  const size_t most = std::max(begin.size(), previous.size());
  added->common_bits = kMaxCellBits;
  added->common_bytes = least;
  for (size_t i = 0; i < most; i += 8) {
    const uint64_t old_word = KeyWord(previous, i);
    const uint64_t new_word = KeyWord(begin, i);
    if (old_word == new_word) continue;
    const auto bits = 8 * i + static_cast<size_t>(__builtin_clzll(old_word ^ new_word));
    added->common_bits = std::min(bits, kMaxCellBits);
    added->common_bytes = std::min(bits / 8, least);
    return old_word < new_word;
  }
  return previous.size() <= begin.size();  // they differ in zeros at the end
}

}  // namespace

void KeptKeys::Forget(const RangeCounts& counts) {
  // The bytes that stay are written over the old ones. They end at the same place or earlier: all
  // bytes that a key needs lie in its own record, or in records before it that are dropped.
  size_t size = 0;
  size_t known = 0;  // bytes of the key that what has been written gives
  ForEach([&](const KeyDifference& key, size_t first_byte) {
    known = std::min(known, first_byte);
    const size_t num_bytes = counts.NeededBytes(key);
    if (num_bytes == 0) return;
    const size_t first = std::min(known, num_bytes);
    char bytes[sizeof(Head) + kMaxPrefixBytes + kCopySlackBytes];
    Write(key, first, num_bytes, bytes);
    std::memcpy(bytes_.data() + size, bytes, sizeof(Head) + num_bytes - first);
    size += sizeof(Head) + num_bytes - first;
    known = num_bytes;
  });
  size_ = size;
  num_known_bytes_ = std::min(num_known_bytes_, known);
  forget_from_bytes_ = std::max(kLittle, 2 * size_);
}

RangeEntries::RangeEntries(const RangeEntryOptions& options)
    : options_(options),
      counts_(options.sample, options.constants),
      entries_(FilterOptions{Format::kBlocked, 10, options.seed}) {}

void RangeEntries::Add(std::string_view key) {
  const std::string_view previous(previous_, state_.previous_bytes);
  if (key.empty() || !state_.is_usable) return;
  if (state_.has_whole_previous && key == previous) return;  // another version

  const std::string_view begin = key.substr(0, kMaxPrefixBytes);
  KeyDifference added = {begin};
  // Another order means another comparator.
  if (!Compare(previous, begin, &added)) {
    state_.is_usable = false;
    return;
  }
  if (state_.num_keys == 0) added.common_bits = 0;
  CountBytes(added);
  const auto size = static_cast<uint16_t>(std::min<size_t>(key.size(), kLongKey));
  state_.min_key_bytes = std::min(state_.min_key_bytes, size);
  state_.max_key_bytes = std::max(state_.max_key_bytes, size);
  CopyBytes(begin, added.common_bytes, begin.size(), previous_ + added.common_bytes);
  state_.previous_bytes = begin.size();
  state_.has_whole_previous = begin.size() == key.size();
  ++state_.num_keys;
  if (!options_.is_auto) return AddEntries(options_.kinds, added);
  const size_t num_bytes = counts_.Count(added);
  kept_.Add(added, num_bytes);
  if (kept_.HasGrown()) {
    const double most = MostEntriesPerKey(Memory());
    const bool is_much = counts_.Forget(most * static_cast<double>(state_.num_keys));
    if (is_much) kept_.Forget(counts_);
  }
}

void RangeEntries::CountBytes(const KeyDifference& key) {
  // The key before has the other bytes, too.
  for (size_t i = key.common_bytes; i < std::min(key.key.size(), kMaxCellBytes); ++i) {
    const auto byte = static_cast<unsigned char>(key.key[i]);
    const bool is_first = i == state_.num_limits;
    state_.num_limits += is_first ? 1 : 0;
    if (is_first || byte < state_.least_bytes[i]) state_.least_bytes[i] = byte;
    if (is_first || byte > state_.greatest_bytes[i]) state_.greatest_bytes[i] = byte;
  }
}

FilterShape EntriesShape(Format format, uint64_t num_entries, double bits_per_entry,
                         uint64_t max_payload_bytes) {
  return StandaloneShape(format, {num_entries, bits_per_entry, 0, max_payload_bytes});
}

size_t RangeEntries::SuffixBytes() const {
  // No cell is longer.
  const size_t size = state_.max_key_bytes;
  if (state_.min_key_bytes != size || size > kMaxCellBytes) return 0;
  const unsigned char last = state_.least_bytes[size - 1];
  size_t same = 0;
  while (same < size - 1 && state_.least_bytes[size - 1 - same] == last &&
         state_.greatest_bytes[size - 1 - same] == last) {
    ++same;
  }
  return same;
}

void RangeEntries::SetField(RangeField* field) {
  field->min_key_bytes = state_.min_key_bytes;
  field->max_key_bytes = state_.max_key_bytes;
  field->suffix_bytes = static_cast<uint8_t>(SuffixBytes());
  if (field->suffix_bytes != 0) field->suffix_byte = previous_[state_.previous_bytes - 1];
  for (size_t i = 0; i < state_.num_limits; ++i) {
    // A shorter key has a zero there.
    key_limits_[2 * i] = static_cast<char>(i < field->min_key_bytes ? state_.least_bytes[i] : 0);
    key_limits_[2 * i + 1] = static_cast<char>(state_.greatest_bytes[i]);
  }
  field->key_limits = {key_limits_, 2 * state_.num_limits};
}

void RangeEntries::AddEntry(uint64_t hash, unsigned copies) {
  for (unsigned i = 0; i < copies; ++i) entries_.AddHash(EntryCopy(hash, i));
}

void RangeEntries::AddEntries(const EntryKinds& kinds, const KeyDifference& key) {
  for (size_t i = 0; i < kinds.num_cells; ++i) {
    const size_t bits = kinds.cells[i].bits;
    if (bits <= key.common_bits) continue;
    char cell[kMaxCellBytes];
    WriteCell(key.key, bits, cell);
    AddEntry(Hash64({cell, CellBytes(bits)}, CellSeed(bits, options_.seed)), kinds.cells[i].copies);
  }
  for (size_t i = 0; i < kinds.num_prefixes;) {
    const unsigned char delimiter = kinds.prefixes[i].delimiter;
    const size_t first = i;
    while (i < kinds.num_prefixes && kinds.prefixes[i].delimiter == delimiter) ++i;
    size_t depth = 0;
    size_t at = 0;
    for (size_t kind = first; kind < i;) {
      at = key.key.find(static_cast<char>(delimiter), at);
      if (at == key.key.npos) break;
      depth = std::min(depth + 1, kMaxDepth);
      ++at;
      while (kind < i && kinds.prefixes[kind].depth < depth) ++kind;
      if (kind < i && kinds.prefixes[kind].depth == depth && at > key.common_bytes) {
        AddEntry(Hash64(key.key.substr(0, at), PrefixSeed(options_.seed)),
                 kinds.prefixes[kind].copies);
      }
    }
  }
}

uint64_t RangeEntries::MaxPayloadBytes() const {
  const uint64_t limit = options_.max_bytes;
  if (limit == 0) return kMaxEntriesBytes;
  return std::min(kMaxEntriesBytes, limit - std::min(limit, kMostBytesBeside));
}

RangeMemory RangeEntries::Memory() const {
  RangeMemory memory;
  memory.bits_per_key = options_.memory * options_.bits_per_key;
  memory.num_levels_below = options_.num_levels_below;
  memory.level_size_ratio = options_.level_size_ratio;
  memory.level_weights = options_.constants.level_weights;
  memory.is_ribbon = options_.format == Format::kRibbon;
  const double most = 8 * static_cast<double>(MaxPayloadBytes()) /
                      static_cast<double>(std::max<uint64_t>(state_.num_keys, 1));
  memory.bits_per_key *= std::min(1.0, most / BitsPerKey(memory));
  return memory;
}

EntryChoice RangeEntries::Choose() {
  const RangeMemory memory = Memory();
  if (options_.is_auto) {
    const EntryChoice choice = ChooseEntries(counts_, memory);
    kept_.ForEach([&](const KeyDifference& key, size_t) { AddEntries(choice.kinds, key); });
    return choice;
  }
  const auto num_entries = static_cast<double>(std::max<size_t>(entries_.num_keys(), 1));
  return {options_.kinds, BitsPerEntry(num_entries / static_cast<double>(state_.num_keys), memory)};
}

std::string RangeEntries::Build(double bits_per_entry) {
  const uint64_t num_entries = entries_.num_keys();
  const double most_bits = 8 * static_cast<double>(MaxPayloadBytes()) /
                           static_cast<double>(std::max<uint64_t>(num_entries, 1));
  bits_per_entry = std::min(bits_per_entry, most_bits);
  if (bits_per_entry < kLeastBitsPerEntry) return "";
  FilterShape shape = FilterShape::Blocked(0, 1);  // it answers "no" to everything
  if (num_entries != 0) {
    shape = EntriesShape(options_.format, num_entries, bits_per_entry, MaxPayloadBytes());
  }
  std::string filter(static_cast<size_t>(shape.payload_bytes() + EndBytes(shape)), '\0');
  return entries_.FinishTo(shape, filter.data()) == WriterFault::kNone ? filter : "";
}

std::string RangeEntries::Finish() {
  std::string value;
  if (state_.is_usable && state_.num_keys != 0) {
    const EntryChoice choice = Choose();
    std::string filter;
    if (!choice.kinds.empty()) filter = Build(choice.bits_per_entry);
    RangeField field;
    if (!filter.empty()) field.kinds = choice.kinds;
    SetField(&field);
    const size_t last_bytes = state_.has_whole_previous ? state_.previous_bytes : 0;
    value = EncodeRangeProperty(field, {previous_, last_bytes}, filter);
  }
  entries_.Reset();
  state_ = KeysState();
  counts_ = RangeCounts(options_.sample, options_.constants);
  kept_.Clear();
  return value;
}

}  // namespace bloomline::filter
