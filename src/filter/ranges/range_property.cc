#include "src/filter/ranges/range_property.h"

#include "src/filter/bits/bytes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

constexpr char kPropertyVersion = 1;
constexpr size_t kPropertyHeadBytes = 7;  // the version, and three lengths

void AppendLength(size_t length, std::string* value) {
  value->push_back(static_cast<char>(length));
  value->push_back(static_cast<char>(length >> 8));
}

size_t LengthAt(std::string_view value, size_t offset) {
  return kernels::LoadLittleEndian16(value.data() + offset);
}

// Returns the next part of the bytes; *is_whole becomes false if they end before.
std::string_view Take(size_t size, std::string_view* bytes, bool* is_whole) {
  if (bytes->size() < size) *is_whole = false;
  if (!*is_whole) return {};
  const std::string_view part = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return part;
}

}  // namespace

std::string EncodeRangeProperty(const RangeField& field, std::string_view last_key,
                                std::string_view filter) {
  char content[kMaxRangeFieldBytes];
  const std::string_view kinds(content, EncodeRangeField(field, content));
  std::string value(1, kPropertyVersion);
  value.reserve(kPropertyHeadBytes + last_key.size() + kinds.size() + field.key_limits.size() +
                filter.size());
  AppendLength(last_key.size(), &value);
  AppendLength(kinds.size(), &value);
  AppendLength(field.key_limits.size(), &value);
  for (const std::string_view part : {last_key, kinds, field.key_limits, filter}) value += part;
  return value;
}

TableRanges OpenedTable(std::string_view value, const kernels::Kernel& kernel) {
  TableRanges table;
  if (value.size() < kPropertyHeadBytes || value[0] != kPropertyVersion) return table;
  std::string_view rest = value.substr(kPropertyHeadBytes);
  bool is_whole = LengthAt(value, 1) <= kMaxStoredKeyBytes;
  const std::string_view last_key = Take(LengthAt(value, 1), &rest, &is_whole);
  const std::string_view kinds = Take(LengthAt(value, 3), &rest, &is_whole);
  const std::string_view key_limits = Take(LengthAt(value, 5), &rest, &is_whole);
  OpenRanges& ranges = table.ranges;
  if (!is_whole || !DecodeRangeField(kinds, &ranges.field) ||
      !DecodeKeyLimits(key_limits, &ranges.field)) {
    return table;
  }
  if (!ranges.field.kinds.empty()) {
    const Payload entries = DecodeTrailer(rest);
    if (entries.is_former_compact()) {
      ranges.field.kinds = EntryKinds();  // the last key and the limits still reject ranges
    } else if (entries.always_matches()) {
      return table;
    } else {
      ranges.entries = Opened(entries, kernel);
      ranges.seed = entries.seed;
    }
  }
  ranges.is_understood = true;
  ranges.limits = KeyLimits(ranges.field);
  table.last_key = last_key;
  return table;
}

}  // namespace bloomline::filter
