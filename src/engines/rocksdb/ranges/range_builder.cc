#include "src/engines/rocksdb/ranges/range_builder.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "src/filter/bits/hash.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::engine {
namespace {

constexpr std::string_view kAutoPrefixes = "auto";
constexpr std::string_view kAfter = "after0x";
constexpr std::string_view kBits = "bits";
constexpr char kDepths = '@';
constexpr uint8_t kAllDepths = 0xff;
constexpr double kMinMemoryPercent = 1;
constexpr double kMaxMemoryPercent = 400;

// The number that is all of `text`.
bool ReadNumber(std::string_view text, int base, unsigned* number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *number, base);
  return read.ec == std::errc() && read.ptr == end;
}

// Reads "1+2" as bits 0 and 1.
bool ReadDepths(std::string_view text, uint8_t* depths) {
  *depths = 0;
  for (; !text.empty(); text.remove_prefix(2)) {
    const int bit = text[0] - '1';
    if (bit < 0 || bit >= int{filter::kMaxDepth} || (*depths >> bit & 1) != 0) return false;
    *depths |= static_cast<uint8_t>(1U << bit);
    if (text.size() == 1) return true;
    if (text[1] != '+') return false;
  }
  return false;
}

bool ReadDelimiter(std::string_view text, filter::EntryKinds* kinds) {
  unsigned number;
  uint8_t depths = kAllDepths;
  const size_t end = std::min(text.find(kDepths), text.size());
  if (!ReadNumber(text.substr(0, end), 16, &number) || number > UINT8_MAX ||
      (end < text.size() && !ReadDepths(text.substr(end + 1), &depths))) {
    return false;
  }
  for (size_t i = 0; i < kinds->num_prefixes; ++i) {
    if (kinds->prefixes[i].delimiter == number) return false;
  }
  for (uint8_t depth = 1; depth <= filter::kMaxDepth; ++depth) {
    if ((depths >> (depth - 1) & 1) == 0) continue;
    if (kinds->num_prefixes == filter::kMaxPrefixKinds) return false;
    kinds->prefixes[kinds->num_prefixes++] = {static_cast<unsigned char>(number), depth};
  }
  return true;
}

bool ReadLength(std::string_view text, filter::EntryKinds* kinds) {
  const bool is_in_bits =
      text.size() > kBits.size() && text.substr(text.size() - kBits.size()) == kBits;
  if (is_in_bits) text.remove_suffix(kBits.size());
  unsigned number;
  if (kinds->num_cells == filter::kMaxCellLengths || !ReadNumber(text, 10, &number) || number < 1 ||
      number > (is_in_bits ? filter::kMaxCellBits : filter::kMaxCellBytes)) {
    return false;
  }
  kinds->cells[kinds->num_cells++].bits = static_cast<uint16_t>(is_in_bits ? number : 8 * number);
  return true;
}

bool ReadItem(std::string_view item, filter::EntryKinds* kinds) {
  return item.substr(0, kAfter.size()) == kAfter ? ReadDelimiter(item.substr(kAfter.size()), kinds)
                                                 : ReadLength(item, kinds);
}

bool ReadList(std::string_view text, filter::EntryKinds* kinds) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(":,", begin), text.size());
    if (!ReadItem(text.substr(begin, end - begin), kinds)) return false;
    begin = end + 1;
  }
  using Cell = filter::EntryKinds::Cell;
  Cell* const cells_end = kinds->cells + kinds->num_cells;
  std::sort(kinds->cells, cells_end, [](Cell a, Cell b) { return a.bits < b.bits; });
  std::sort(kinds->prefixes, kinds->prefixes + kinds->num_prefixes,
            [](const auto& a, const auto& b) {
              return a.delimiter != b.delimiter ? a.delimiter < b.delimiter : a.depth < b.depth;
            });
  return std::adjacent_find(kinds->cells, cells_end,
                            [](Cell a, Cell b) { return a.bits == b.bits; }) == cells_end;
}

}  // namespace

std::string ReadRangeOptions(const RocksDBFilterOptions& options,
                             filter::RangeEntryOptions* entries) {
  const std::string_view text = options.range_prefixes;
  entries->is_auto = text == kAutoPrefixes;
  if (!text.empty() && !entries->is_auto && !ReadList(text, &entries->kinds)) {
    return support::StrCat(
        "range_prefixes is ", support::Quoted(text),
        "; allowed: auto, or a list as in 4:124bits:after0x2f:after0x3a@1+2 of up to ",
        filter::kMaxCellLengths, " different lengths of 1 to ", filter::kMaxCellBytes,
        " bytes or 1 to ", filter::kMaxCellBits, " bits and different delimiters with up to ",
        filter::kMaxPrefixKinds, " occurrences of 1 to ", filter::kMaxDepth);
  }
  const double percent = options.range_memory_percent;
  entries->memory = percent / 100;
  if (percent >= kMinMemoryPercent && percent <= kMaxMemoryPercent) return "";
  return support::StrCat("range_memory_percent is ", support::DoubleText(percent),
                         "; allowed: ", kMinMemoryPercent, " to ", kMaxMemoryPercent);
}

filter::RangeEntryOptions EntriesOfFile(filter::RangeEntryOptions entries,
                                        const std::string& column_family, int num_levels_below,
                                        const filter::AskedByFamily& asked_by_family) {
  entries.num_levels_below = num_levels_below;
  // Distinguishes the families of one policy; 0 is none.
  entries.family = static_cast<uint32_t>(filter::Hash64(column_family, 0)) | 1;
  const filter::AskedRanges* const asked = asked_by_family.Find(entries.family);
  if (asked != nullptr && entries.is_auto) entries.sample = filter::SampledPlaces(*asked);
  return entries;
}

}  // namespace bloomline::engine
