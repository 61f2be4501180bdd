#include "src/filter/ranges/range_entries.h"

#include <algorithm>
#include <cstring>

#include "src/support/out_of_memory.h"

namespace bloomline::filter {
namespace {

// What is kept of a key: this, and its first bytes.
struct KeptHead {
  uint16_t common_bits;
  uint8_t common_bytes;
  uint8_t num_bytes;
};
static_assert(kMaxPrefixBytes <= UINT8_MAX);

constexpr size_t kMinKeptBytes = 64 << 10;
constexpr double kMaxKeptBytesPerEntry = 40;
// Fewer entries than this many times the limit may become few enough with the keys to come.
constexpr double kMayBecomeCheap = 2;

// `previous` is the key before. False: the keys are not in the order of bytes.
bool Compare(std::string_view previous, std::string_view begin, KeyDifference* added) {
  const size_t least = std::min(begin.size(), previous.size());
  const size_t most = std::max(begin.size(), previous.size());
  added->common_bits = kMaxCellBits;
  added->common_bytes = least;
  for (size_t i = 0; i < most; i += 8) {
    const uint64_t old_word = WordOf(previous, i);
    const uint64_t new_word = WordOf(begin, i);
    if (old_word == new_word) continue;
    const auto bits = 8 * i + static_cast<size_t>(__builtin_clzll(old_word ^ new_word));
    added->common_bits = std::min(bits, kMaxCellBits);
    added->common_bytes = std::min(bits / 8, least);
    return old_word < new_word;
  }
  return previous.size() <= begin.size();  // they differ in zeros at the end
}

}  // namespace

void RangeEntries::Add(std::string_view key, FilterWriter* writer) {
  if (key.empty()) has_prefix_ = true;
  if (num_keys_ == 1 && !has_prefix_) is_usable_ = false;  // it comes with the first key or never
  if (key.empty() || !is_usable_) return;
  const auto size = static_cast<uint16_t>(std::min<size_t>(key.size(), kLongKey));
  min_key_bytes_ = std::min(min_key_bytes_, size);
  max_key_bytes_ = std::max(max_key_bytes_, size);

  const std::string_view begin = key.substr(0, kMaxPrefixBytes);
  const std::string_view previous(previous_, previous_bytes_);
  KeyDifference added = {begin};
  // Another order is that of another comparator.
  if (!Compare(previous, begin, &added)) {
    is_usable_ = false;
    return;
  }
  if (num_keys_ == 0) added.common_bits = 0;
  RememberKey(begin, added.common_bytes);
  ++num_keys_;
  if (!is_auto_) return AddEntries(added, writer);
  const size_t num_bytes = choice_.Count(added);
  if (num_bytes != 0) Keep(added, num_bytes);
}

void RangeEntries::RememberKey(std::string_view key, size_t common_bytes) {
  previous_bytes_ = key.size();
  if (key.size() >= 8 && key.size() - common_bytes <= 8) {
    const size_t at = key.size() - 8;
    std::memcpy(previous_ + at, key.data() + at, 8);  // no call: a tenth of the building saved
  } else {
    std::memcpy(previous_ + common_bytes, key.data() + common_bytes, key.size() - common_bytes);
  }
}

void RangeEntries::AddEntries(const KeyDifference& key, FilterWriter* writer) const {
  for (size_t i = 0; i < kinds_.num_cell_lengths; ++i) {
    const size_t bits = kinds_.cell_bits[i];
    if (bits <= key.common_bits) continue;
    char cell[kMaxCellBytes];
    CellOf(key.key, bits, cell);
    writer->AddHash(Hash64({cell, CellBytes(bits)}, CellSeed(bits, writer->seed())));
  }
  for (size_t i = 0; i < kinds_.num_delimiters; ++i) {
    const EntryKinds::Delimiter delimiter = kinds_.delimiters[i];
    const char byte = static_cast<char>(delimiter.byte);
    size_t at = key.key.find(byte);
    for (size_t depth = 0; depth < kMaxDepth && at != key.key.npos; ++depth) {
      if (at >= key.common_bytes && (delimiter.depths >> depth & 1) != 0) {
        writer->AddHash(Hash64(key.key.substr(0, at + 1), PrefixSeed(writer->seed())));
      }
      at = key.key.find(byte, at + 1);
    }
  }
}

void RangeEntries::Keep(const KeyDifference& key, size_t num_bytes) {
  const KeptHead head = {static_cast<uint16_t>(key.common_bits),
                         static_cast<uint8_t>(key.common_bytes), static_cast<uint8_t>(num_bytes)};
  char bytes[sizeof(head) + kMaxPrefixBytes];
  std::memcpy(bytes, &head, sizeof(head));
  key.key.copy(bytes + sizeof(head), num_bytes);
  is_usable_ = support::OrIfOutOfMemory(false, [&] {
    kept_.append(bytes, sizeof(head) + num_bytes);
    return true;
  });
  if (kept_.size() > max_kept_bytes()) DropCostly();
}

size_t RangeEntries::max_kept_bytes() const {
  return std::max(kMinKeptBytes, static_cast<size_t>(kMaxKeptBytesPerEntry * max_entries()));
}

template <typename F>
void RangeEntries::ForEachKept(F f) const {
  for (size_t at = 0; at < kept_.size();) {
    KeptHead head;
    std::memcpy(&head, kept_.data() + at, sizeof(head));
    at += sizeof(head);
    const KeyDifference key = {std::string_view(kept_).substr(at, head.num_bytes),
                               head.common_bytes, head.common_bits};
    at += head.num_bytes;
    f(key);
  }
}

void RangeEntries::DropCostly() {
  const size_t enough = max_kept_bytes() / 2;
  for (double max = kMayBecomeCheap * max_entries(); kept_.size() > enough; max /= 2) {
    choice_.ForgetCostly(max);
    char* end = kept_.data();  // what stays is written over what was there, and ends before it
    ForEachKept([&](const KeyDifference& key) {
      const size_t num_bytes = choice_.NeededBytes(key);
      if (num_bytes == 0) return;
      const KeptHead head = {static_cast<uint16_t>(key.common_bits),
                             static_cast<uint8_t>(key.common_bytes),
                             static_cast<uint8_t>(num_bytes)};
      const char* const bytes = key.key.data();
      std::memcpy(end, &head, sizeof(head));
      std::memmove(end + sizeof(head), bytes, num_bytes);
      end += sizeof(head) + num_bytes;
    });
    kept_.resize(static_cast<size_t>(end - kept_.data()));
  }
}

void RangeEntries::Finish(bool is_partition, FilterWriter* writer) {
  RangeField field;
  if (is_usable_ && has_prefix_ && num_keys_ != 0) {
    if (is_auto_) {
      kinds_ = choice_.Choose(max_entries(), max_entries() / times_ / 2);
      ForEachKept([&](const KeyDifference& key) { AddEntries(key, writer); });
    }
    field.kinds = kinds_;
    field.min_key_bytes = min_key_bytes_;
    field.max_key_bytes = max_key_bytes_;
    if (is_partition) field.last_key = {previous_, std::min(previous_bytes_, kMaxLastKeyBytes)};
  }
  writer->RecordRanges({field_, EncodeRangeField(field, field_)});
  is_usable_ = true;
  has_prefix_ = false;
  num_keys_ = 0;
  min_key_bytes_ = kLongKey;
  max_key_bytes_ = 0;
  previous_bytes_ = 0;
  choice_ = RangeChoice();
  kept_.clear();
}

}  // namespace bloomline::filter
