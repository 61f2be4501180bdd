#include "src/filter/ranges/range_entries.h"

#include <algorithm>

#include "src/filter/ranges/range_property.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

// What a property has beside its entries.
constexpr uint64_t kMostBytesBeside = 2048;
static_assert(kMostBytesBeside >
              kMaxStoredKeyBytes + kMaxRangeFieldBytes + 2 * kMaxCellBytes + 100);

// ---- The memory while kinds are not chosen yet, beside kFreeBytes. A Ribbon filter's equations
// may take 12 MiB besides, and its bytes less than 4 per key, because an entry has 10 bits at most.

// Little files may take more, so that their choice is free, and large ones decide late.
constexpr double kFreeBytes = 4 << 20;
// If kept keys take more for each key, entries are kept instead.
constexpr double kKeptKeyBytes = 16;
// The most that entries take for each key.
constexpr double kEntryBytes = 20;
// The most that both take, while keys become entries.
constexpr double kBytesToStart = 22;
// How much less memory is tried if this is not enough.
constexpr double kLessBytes = 0.75;
constexpr double kHashBytes = sizeof(uint64_t);

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

RangeEntries::RangeEntries(const RangeEntryOptions& options)
    : options_(options),
      counts_(options.sample, options.constants),
      kept_entries_(options.seed),
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
  if (options_.is_auto) return Keep(added);
  if (!kept_entries_.has_started()) kept_entries_.Start(KindsOf(options_.kinds), &kept_keys_);
  kept_entries_.Add(added);
}

double RangeEntries::MostBytes(double bytes_per_key) const {
  return bytes_per_key * static_cast<double>(state_.num_keys) + kFreeBytes;
}

void RangeEntries::Keep(const KeyDifference& key) {
  const size_t num_bytes = counts_.Count(key);
  if (kept_entries_.has_started()) {
    kept_entries_.Add(key);
    // Looking into all lists takes longer than a key.
    constexpr uint64_t kKeysPerLook = 256;
    if (state_.num_keys % kKeysPerLook == 0) ForgetKinds();
    return;
  }
  kept_keys_.Add(key, num_bytes);
  const auto has_many = [this] {
    return static_cast<double>(kept_keys_.num_bytes()) > MostBytes(kKeptKeyBytes);
  };
  if (!kept_keys_.HasGrown() && !has_many()) return;
  const double most = MostEntriesPerKey(Memory(MostBytes(kEntryBytes)));
  const bool is_much = counts_.Forget(most * static_cast<double>(state_.num_keys));
  if (is_much) kept_keys_.Forget(counts_);
  if (has_many()) KeepEntriesInsteadOfKeys();
}

// True for no kinds, so loops that try ever fewer kinds end: kept keys take at most a chunk of 2
// MiB more than MostBytes(kKeptKeyBytes).
bool RangeEntries::HasRoomToStart(const KindSet& kinds, double num_entries) const {
  const double most = MostBytes(kBytesToStart) + kFreeBytes;
  const double all = static_cast<double>(kept_keys_.num_bytes()) + kHashBytes * num_entries;
  return all <= most ||
         static_cast<double>(kept_entries_.MostBytesOfStart(kinds, kept_keys_)) <= most;
}

void RangeEntries::KeepEntriesInsteadOfKeys() {
  double bytes = kLessBytes * MostBytes(kEntryBytes);
  KeptKinds kept = KindsToKeep(counts_, Memory(bytes), bytes / kHashBytes);
  while (!HasRoomToStart(kept.kinds, kept.num_entries)) {
    bytes *= kLessBytes;
    kept = KindsToKeep(counts_, Memory(bytes), bytes / kHashBytes);
  }
  counts_.KeepOnly(kept.kinds);
  kept_entries_.Start(kept.kinds, &kept_keys_);
}

void RangeEntries::ForgetKinds() {
  // Chunks of lists may take more than was planned, but not much.
  constexpr double kMoreBytes = 1.125;
  const double most = MostBytes(kEntryBytes);
  const auto bytes = static_cast<double>(kept_entries_.num_bytes());
  if (bytes <= std::max(most, kMoreBytes * state_.kept_entry_bytes)) return;
  const RangeMemory memory = Memory(most);
  counts_.Forget(MostEntriesPerKey(memory) * static_cast<double>(state_.num_keys));
  const KindSet kinds = KindsToKeep(counts_, memory, kLessBytes * most / kHashBytes).kinds;
  counts_.KeepOnly(kinds);
  kept_entries_.KeepOnly(kinds);
  state_.kept_entry_bytes = static_cast<double>(kept_entries_.num_bytes());
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

uint64_t RangeEntries::MaxPayloadBytes() const {
  const uint64_t limit = options_.max_bytes;
  if (limit == 0) return kMaxEntriesBytes;
  return std::min(kMaxEntriesBytes, limit - std::min(limit, kMostBytesBeside));
}

RangeMemory RangeEntries::Memory(double entry_bytes) const {
  RangeMemory memory;
  const auto num_keys = static_cast<double>(std::max<uint64_t>(state_.num_keys, 1));
  memory.max_entries_per_key = entry_bytes / kHashBytes / num_keys;
  const double most = 8 * static_cast<double>(MaxPayloadBytes()) / num_keys;
  memory.bits_per_key = std::min(most, options_.memory * options_.bits_per_key);
  memory.is_last_level = options_.is_last_level;
  memory.is_ribbon = options_.format == Format::kRibbon;
  return memory;
}

EntryChoice RangeEntries::ChooseFromKept() {
  double bytes = MostBytes(kEntryBytes);
  EntryChoice choice = ChooseEntries(counts_, Memory(bytes));
  if (!kept_entries_.has_started()) {
    const auto num_entries = [&] {
      return choice.entries_per_key * static_cast<double>(state_.num_keys);
    };
    while (!HasRoomToStart(KindsOf(choice.kinds), num_entries())) {
      bytes *= kLessBytes;
      choice = ChooseEntries(counts_, Memory(bytes));
    }
    kept_entries_.Start(KindsOf(choice.kinds), &kept_keys_);
  }
  kept_entries_.MoveTo(choice.kinds, &entries_);
  return choice;
}

EntryChoice RangeEntries::Choose() {
  if (options_.is_auto) return ChooseFromKept();
  kept_entries_.MoveTo(options_.kinds, &entries_);
  const auto num_entries = static_cast<double>(std::max<size_t>(entries_.num_keys(), 1));
  const double per_key = num_entries / static_cast<double>(state_.num_keys);
  return {options_.kinds, BitsPerEntry(per_key, Memory()), per_key};
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
  kept_keys_.Clear();
  kept_entries_.Clear();
  return value;
}

}  // namespace bloomline::filter
