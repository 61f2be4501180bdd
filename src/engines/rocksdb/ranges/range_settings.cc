#include "src/engines/rocksdb/ranges/range_settings.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace bloomline {
namespace {

constexpr std::string_view kAutoPrefixes = "auto";
constexpr std::string_view kAfter = "after0x";
constexpr double kMinMemoryPercent = 1;
constexpr double kMaxMemoryPercent = 400;

// The number that is all of `text`.
bool ReadNumber(std::string_view text, int base, unsigned* number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *number, base);
  return read.ec == std::errc() && read.ptr == end;
}

constexpr size_t kMaxDelimiters = filter::kMaxPrefixKinds / filter::kMaxDepth;

// All depths of a delimiter.
bool AddDelimiter(unsigned char delimiter, filter::EntryKinds* kinds) {
  filter::EntryKinds::Prefix* const end = kinds->prefixes + kinds->num_prefixes;
  for (const auto* prefix = kinds->prefixes; prefix != end; ++prefix) {
    if (prefix->delimiter == delimiter) return false;
  }
  if (kinds->num_prefixes + filter::kMaxDepth > filter::kMaxPrefixKinds) return false;
  for (uint8_t depth = 1; depth <= filter::kMaxDepth; ++depth) {
    kinds->prefixes[kinds->num_prefixes++] = {delimiter, depth};
  }
  return true;
}

bool ReadItem(std::string_view item, filter::EntryKinds* kinds) {
  unsigned number;
  if (item.substr(0, kAfter.size()) == kAfter) {
    return ReadNumber(item.substr(kAfter.size()), 16, &number) && number <= UINT8_MAX &&
           AddDelimiter(static_cast<unsigned char>(number), kinds);
  }
  if (kinds->num_cells == filter::kMaxCellLengths || !ReadNumber(item, 10, &number) || number < 1 ||
      number > filter::kMaxCellBytes) {
    return false;
  }
  kinds->cells[kinds->num_cells++].bits = static_cast<uint16_t>(8 * number);
  return true;
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

void ReadRangePrefixes(const RocksDBFilterOptions& options, RangeSettings* settings,
                       support::ErrorText* error) {
  const std::string_view text = options.range_prefixes;
  settings->is_auto = text == kAutoPrefixes;
  if (text.empty()) return;
  if (!settings->is_auto && !ReadList(text, &settings->kinds)) {
    *error << "range_prefixes is ";
    error->AppendQuoted(text) << "; allowed: auto, or a list as in 4:8:after0x2f of up to "
                              << filter::kMaxCellLengths << " different lengths of 1 to "
                              << filter::kMaxCellBytes << " bytes and up to " << kMaxDelimiters
                              << " different delimiters";
  } else if (options.canonicalizer != nullptr) {
    *error << "range_prefixes is ";
    error->AppendQuoted(text) << " and there is a canonicalizer; allowed: one of the two, because "
                                 "a range has no canonical form";
  }
}

void ReadRangeMemory(const RocksDBFilterOptions& options, RangeSettings* settings,
                     support::ErrorText* error) {
  const double percent = options.range_memory_percent;
  settings->memory = percent / 100;
  if (percent >= kMinMemoryPercent && percent <= kMaxMemoryPercent) return;
  *error << "range_memory_percent is ";
  error->AppendExactly(percent);
  *error << "; allowed: " << kMinMemoryPercent << " to " << kMaxMemoryPercent;
}

}  // namespace bloomline
