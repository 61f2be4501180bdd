#include "src/engines/rocksdb/ranges/range_settings.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace bloomline {
namespace {

constexpr std::string_view kAutoPrefixes = "auto";
constexpr std::string_view kAfter = "after0x";
constexpr uint8_t kAllDepths = 0xff;
constexpr double kMinEntriesPerKey = 0.001;
constexpr double kMaxEntriesPerKey = 8;

// The number that is all of `text`.
bool ReadNumber(std::string_view text, int base, unsigned* number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *number, base);
  return read.ec == std::errc() && read.ptr == end;
}

bool ReadItem(std::string_view item, filter::EntryKinds* kinds) {
  unsigned number;
  if (item.substr(0, kAfter.size()) == kAfter) {
    if (kinds->num_delimiters == filter::kMaxDelimiters ||
        !ReadNumber(item.substr(kAfter.size()), 16, &number) || number > UINT8_MAX) {
      return false;
    }
    const auto byte = static_cast<unsigned char>(number);
    for (size_t i = 0; i < kinds->num_delimiters; ++i) {
      if (kinds->delimiters[i].byte == byte) return false;
    }
    kinds->delimiters[kinds->num_delimiters++] = {byte, kAllDepths};
    return true;
  }
  if (kinds->num_cell_lengths == filter::kMaxCellLengths || !ReadNumber(item, 10, &number) ||
      number < 1 || number > filter::kMaxCellBytes) {
    return false;
  }
  kinds->cell_bits[kinds->num_cell_lengths++] = static_cast<uint16_t>(8 * number);
  return true;
}

bool ReadList(std::string_view text, filter::EntryKinds* kinds) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(":,", begin), text.size());
    if (!ReadItem(text.substr(begin, end - begin), kinds)) return false;
    begin = end + 1;
  }
  uint16_t* const bits = kinds->cell_bits;
  std::sort(bits, bits + kinds->num_cell_lengths);
  return std::adjacent_find(bits, bits + kinds->num_cell_lengths) == bits + kinds->num_cell_lengths;
}

}  // namespace

void ReadRangePrefixes(const RocksDBFilterOptions& options, RangeSettings* settings,
                       support::ErrorText* error) {
  const std::string_view text = options.range_prefixes;
  settings->is_auto = text == kAutoPrefixes;
  if (text.empty()) return;
  if (!settings->is_auto && !ReadList(text, &settings->kinds)) {
    *error << "range_prefixes is ";
    error->AppendQuoted(text) << "; allowed: auto, or a list as in 4:8:after0x2f of up to "
                              << filter::kMaxCellLengths << " different lengths of 1 to "
                              << filter::kMaxCellBytes << " bytes and up to "
                              << filter::kMaxDelimiters << " different delimiters";
  } else if (options.canonicalizer != nullptr) {
    *error << "range_prefixes is ";
    error->AppendQuoted(text) << " and there is a canonicalizer; allowed: one of the two, because "
                                 "a range has no canonical form";
  }
}

void ReadRangeEntriesPerKey(const RocksDBFilterOptions& options, RangeSettings* settings,
                            support::ErrorText* error) {
  settings->max_entries_per_key = options.range_entries_per_key;
  if (options.range_entries_per_key >= kMinEntriesPerKey &&
      options.range_entries_per_key <= kMaxEntriesPerKey) {
    return;
  }
  *error << "range_entries_per_key is ";
  error->AppendExactly(options.range_entries_per_key);
  *error << "; allowed: " << kMinEntriesPerKey << " to " << kMaxEntriesPerKey;
}

}  // namespace bloomline
