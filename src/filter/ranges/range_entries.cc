#include "src/filter/ranges/range_entries.h"

#include <algorithm>
#include <cstring>

#include "src/filter/bits/compact_block.h"
#include "src/filter/ranges/range_property.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

// What a property has beside its entries.
constexpr uint64_t kMostBytesBeside = 2048;
static_assert(kMostBytesBeside > kMaxStoredKeyBytes + kMaxKindsBytes + 2 * kMaxCellBytes + 100);

// Drop a kind only above this multiple of the entries that fit: later keys may make it affordable.
constexpr double kMayBecomeCheap = 2;

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

void RangeEntries::Add(std::string_view key, FilterWriter* writer) {
  if (key.empty()) state_.has_prefix = true;
  // The empty prefix comes with the first key or never.
  if (state_.num_keys == 1 && !state_.has_prefix) state_.is_usable = false;
  AddInOrder(key, writer->seed(), writer->options());
}

void RangeEntries::Add(std::string_view key) {
  const bool is_version = state_.has_whole_previous && !key.empty() &&
                          key == std::string_view(previous_, state_.previous_bytes);
  if (!is_version) AddInOrder(key, 0, PointOptions());
}

void RangeEntries::AddInOrder(std::string_view key, uint64_t seed, const FilterOptions& options) {
  if (key.empty() || !state_.is_usable) return;

  const std::string_view begin = key.substr(0, kMaxPrefixBytes);
  const std::string_view previous(previous_, state_.previous_bytes);
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
  if (!options_.is_auto) return AddEntries(options_.kinds, added, seed);
  const size_t num_bytes = counts_.Count(added);
  kept_.Add(added, num_bytes);
  if (kept_.HasGrown()) {
    const double most = MostEntriesPerKey(MemoryFor(options));
    const bool is_much =
        counts_.Forget(kMayBecomeCheap * most * static_cast<double>(state_.num_keys));
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
  const ShapeRequest request = {num_entries, bits_per_entry, 0, max_payload_bytes};
  FilterShape shape = StandaloneShape(format, request);
  if (format == Format::kCompact && bits_per_entry < kSmallBlocksBelowBits) {
    shape = FilterShape::Compact(0, kernels::k16Fast1);
    shape.num_blocks = WholeBlocks(request, shape.block_bytes);
  }
  return shape;
}

size_t RangeEntries::SuffixBytes() const {
  // Queries take no longer key as a cell and a suffix.
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

size_t RangeEntries::WriteLimits(const RangeField& field, bool is_partition, size_t max_limits) {
  constexpr size_t kBehindCells = 8;  // such as a delimiter, with which bounds end
  const EntryKinds& kinds = field.kinds;
  const size_t longest =
      field.keys_are_cells() ? field.max_key_bytes : CellBytes(kinds.longest_cell_bits());
  size_t num_needed = longest == 0 ? 0 : longest + kBehindCells;
  if (kinds.num_prefixes != 0 || (!is_partition && longest != 0)) num_needed = max_limits;
  num_needed = std::min({num_needed, state_.num_limits, max_limits});
  for (size_t i = 0; i < num_needed; ++i) {
    // A shorter key has a zero there.
    key_limits_[2 * i] = static_cast<char>(i < field.min_key_bytes ? state_.least_bytes[i] : 0);
    key_limits_[2 * i + 1] = static_cast<char>(state_.greatest_bytes[i]);
  }
  return 2 * num_needed;
}

void RangeEntries::AddEntry(uint64_t hash, unsigned copies) {
  for (unsigned i = 0; i < copies; ++i) entries_.AddHash(EntryCopy(hash, i));
}

void RangeEntries::AddEntries(const EntryKinds& kinds, const KeyDifference& key, uint64_t seed) {
  for (size_t i = 0; i < kinds.num_cells; ++i) {
    const size_t bits = kinds.cells[i].bits;
    if (bits <= key.common_bits) continue;
    char cell[kMaxCellBytes];
    WriteCell(key.key, bits, cell);
    AddEntry(Hash64({cell, CellBytes(bits)}, CellSeed(bits, seed)), kinds.cells[i].copies);
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
        AddEntry(Hash64(key.key.substr(0, at), PrefixSeed(seed)), kinds.prefixes[kind].copies);
      }
    }
  }
}

RangeMemory RangeEntries::MemoryOfLevel(const FilterOptions& options) const {
  RangeMemory memory;
  memory.bits_per_key = options_.memory * options.bits_per_key;
  memory.num_levels_below = options_.num_levels_below;
  memory.is_compact = options.format == Format::kCompact;
  return memory;
}

uint64_t RangeEntries::ExpectedBytes(uint64_t num_keys, const FilterOptions& options) const {
  const RangeMemory memory = MemoryOfLevel(options);
  const auto keys = static_cast<double>(std::max<uint64_t>(num_keys, 1));
  double bits = BitsPerKey(memory) * keys;
  if (!options_.is_auto) {
    const auto num_entries = static_cast<double>(std::max<size_t>(entries_.num_keys(), 1));
    bits = num_entries * BitsPerEntry(num_entries / keys, memory);
  }
  const uint64_t blocks = 1 + static_cast<uint64_t>(bits) / (8 * kernels::kBlockBytes);
  return std::min(blocks * kernels::kBlockBytes, kMaxEntriesBytes);
}

RangeMemory RangeEntries::MemoryFor(const FilterOptions& options) const {
  RangeMemory memory = MemoryOfLevel(options);
  const bool has_one_length =
      state_.min_key_bytes == state_.max_key_bytes && state_.max_key_bytes <= kMaxCellBytes;
  memory.key_bits = has_one_length ? 8 * (state_.min_key_bytes - SuffixBytes()) : 0;
  return memory;
}

bool RangeEntries::Build(double bits_per_entry, const RangeMemory& memory,
                         uint64_t max_payload_bytes) {
  const uint64_t num_entries = entries_.num_keys();
  const Format format =
      memory.is_compact && bits_per_entry >= kCompactFromBits ? Format::kCompact : Format::kBlocked;
  // An empty block answers "no" to everything.
  const uint64_t num_hashes = std::max<uint64_t>(num_entries, 1);
  shape_ = EntriesShape(format, num_hashes, bits_per_entry, max_payload_bytes);
  payload_.assign(static_cast<size_t>(shape_.payload_bytes() + entries_.end_bytes()), '\0');
  if (num_entries == 0) return entries_.fault() == WriterFault::kNone;
  return entries_.FinishTo(shape_, payload_.data()) == WriterFault::kNone;
}

void RangeEntries::Finish(bool is_partition, FilterWriter* writer) {
  RangeField field;
  Extension extension;
  field.family = options_.family;
  if (state_.is_usable && state_.has_prefix && state_.num_keys != 0) {
    const RangeMemory memory = MemoryFor(writer->options());
    const EntryChoice choice = Choose(memory, writer->seed());
    if (!choice.kinds.empty() && Build(choice.bits_per_entry, memory, kMaxEntriesBytes)) {
      extension.second = {shape_, writer->seed(), payload_.data()};
      field.kinds = choice.kinds;
    }
    SetLengths(&field);
    extension.key_limits = {key_limits_, WriteLimits(field, is_partition, kMaxLimits)};
    if (is_partition) {
      field.last_key = {previous_, std::min(state_.previous_bytes, kMaxLastKeyBytes)};
    }
  }
  extension.ranges = {field_, EncodeRangeField(field, field_)};
  writer->RecordRanges(extension);
  Reset();
}

FilterOptions RangeEntries::PointOptions() const {
  FilterOptions options;
  options.format = options_.format;
  options.bits_per_key = options_.bits_per_key;
  return options;
}

EntryChoice RangeEntries::Choose(const RangeMemory& memory, uint64_t seed) {
  if (options_.is_auto) {
    const EntryChoice choice = ChooseEntries(counts_, memory);
    kept_.ForEach([&](const KeyDifference& key, size_t) { AddEntries(choice.kinds, key, seed); });
    return choice;
  }
  const auto num_entries = static_cast<double>(std::max<size_t>(entries_.num_keys(), 1));
  return {options_.kinds, BitsPerEntry(num_entries / static_cast<double>(state_.num_keys), memory)};
}

void RangeEntries::SetLengths(RangeField* field) const {
  field->min_key_bytes = state_.min_key_bytes;
  field->max_key_bytes = state_.max_key_bytes;
  field->suffix_bytes = static_cast<uint8_t>(SuffixBytes());
  if (field->suffix_bytes != 0) field->suffix_byte = previous_[state_.previous_bytes - 1];
}

std::string RangeEntries::FinishProperty() {
  std::string value;
  if (state_.is_usable && state_.num_keys != 0) {
    RangeMemory memory = MemoryFor(PointOptions());
    memory.key_bits = 0;  // no point filter answers
    uint64_t max_payload_bytes = kMaxEntriesBytes;
    if (options_.max_bytes != 0) {
      max_payload_bytes = std::min(max_payload_bytes, options_.max_bytes - kMostBytesBeside);
    }
    const double max_bits = 8 * static_cast<double>(max_payload_bytes);
    const double max_bits_per_key = max_bits / static_cast<double>(state_.num_keys);
    memory.bits_per_key *= std::min(1.0, max_bits_per_key / BitsPerKey(memory));
    const EntryChoice choice = Choose(memory, 0);
    const size_t num_hashes = entries_.num_keys();
    const auto num_entries = static_cast<double>(std::max<size_t>(num_hashes, 1));
    const double bits_per_entry = std::min(choice.bits_per_entry, max_bits / num_entries);
    RangeField field;
    std::string_view filter;
    if (!choice.kinds.empty() && bits_per_entry >= kLeastBitsPerEntry &&
        Build(bits_per_entry, memory, max_payload_bytes)) {
      if (num_hashes == 0) {
        payload_.assign(kTrailerBytes, '\0');
        EncodeTrailer(FilterShape::Blocked(0, 1), 0, payload_.data());
      }
      field.kinds = choice.kinds;
      filter = payload_;
    }
    SetLengths(&field);
    field.key_limits = {key_limits_, WriteLimits(field, false, kMaxCellBytes)};
    const size_t last_bytes = state_.has_whole_previous ? state_.previous_bytes : 0;
    value = EncodeRangeProperty(field, {previous_, last_bytes}, filter);
  }
  Reset();
  return value;
}

void RangeEntries::Reset() {
  entries_.Reset();
  state_ = State();
  counts_ = RangeCounts(options_.sample);
  kept_.Clear();
}

}  // namespace bloomline::filter
