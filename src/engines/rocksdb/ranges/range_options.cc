#include "src/engines/rocksdb/ranges/range_options.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "src/filter/options/formats.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::engine {
namespace {

using filter::EntryKinds;

constexpr std::string_view kChosenPrefixes = "auto";
constexpr double kLeastPercent = 1;
constexpr double kMostPercent = 400;
// Room for the last key and the limits of bytes.
constexpr uint64_t kLeastBytesPerTable = 4096;

// Reads a list such as "4,124bits,after0x2f@1+3", also with colons. Its functions return false if
// the text is wrong.
class KindsOfText {
 public:
  explicit KindsOfText(EntryKinds* kinds) : kinds_(kinds) {}

  bool ReadAll(std::string_view text) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find_first_of(":,", begin), text.size());
      if (!ReadItem(text.substr(begin, end - begin))) return false;
      begin = end + 1;
    }
    using Cell = EntryKinds::Cell;
    Cell* const cells_end = kinds_->cells + kinds_->num_cells;
    std::sort(kinds_->cells, cells_end, [](Cell a, Cell b) { return a.bits < b.bits; });
    std::sort(kinds_->prefixes, kinds_->prefixes + kinds_->num_prefixes,
              [](const auto& a, const auto& b) {
                return a.delimiter != b.delimiter ? a.delimiter < b.delimiter : a.depth < b.depth;
              });
    return std::adjacent_find(kinds_->cells, cells_end,
                              [](Cell a, Cell b) { return a.bits == b.bits; }) == cells_end;
  }

 private:
  bool ReadItem(std::string_view item) {
    constexpr std::string_view kMark = "after0x";
    return item.substr(0, kMark.size()) == kMark ? ReadDelimiter(item.substr(kMark.size()))
                                                 : ReadLength(item);
  }

  bool ReadLength(std::string_view text) {
    constexpr std::string_view kUnit = "bits";
    const bool is_in_bits =
        text.size() > kUnit.size() && text.substr(text.size() - kUnit.size()) == kUnit;
    if (is_in_bits) text.remove_suffix(kUnit.size());
    unsigned number;
    if (kinds_->num_cells == filter::kMaxCellLengths || !ReadNumber(text, 10, &number) ||
        number < 1 || number > (is_in_bits ? filter::kMaxCellBits : filter::kMaxCellBytes)) {
      return false;
    }
    const unsigned bits = is_in_bits ? number : 8 * number;
    kinds_->cells[kinds_->num_cells++].bits = static_cast<uint16_t>(bits);
    return true;
  }

  bool ReadDelimiter(std::string_view text) {
    unsigned number;
    unsigned depths = (1U << filter::kMaxDepth) - 1;
    const size_t end = std::min(text.find('@'), text.size());
    if (!ReadNumber(text.substr(0, end), 16, &number) || number > UINT8_MAX ||
        (end < text.size() && !ReadDepths(text.substr(end + 1), &depths))) {
      return false;
    }
    for (size_t i = 0; i < kinds_->num_prefixes; ++i) {
      if (kinds_->prefixes[i].delimiter == number) return false;
    }
    for (uint8_t depth = 1; depth <= filter::kMaxDepth; ++depth) {
      if ((depths >> (depth - 1) & 1) == 0) continue;
      if (kinds_->num_prefixes == filter::kMaxPrefixKinds) return false;
      kinds_->prefixes[kinds_->num_prefixes++] = {static_cast<unsigned char>(number), depth};
    }
    return true;
  }

  // "1+2" as bits 0 and 1.
  static bool ReadDepths(std::string_view text, unsigned* depths) {
    *depths = 0;
    for (; !text.empty(); text.remove_prefix(2)) {
      const int bit = text[0] - '1';
      if (bit < 0 || bit >= int{filter::kMaxDepth} || (*depths >> bit & 1) != 0) return false;
      *depths |= 1U << bit;
      if (text.size() == 1) return true;
      if (text[1] != '+') return false;
    }
    return false;
  }

  // The number that is all of `text`.
  static bool ReadNumber(std::string_view text, int base, unsigned* number) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, *number, base);
    return read.ec == std::errc() && read.ptr == end;
  }

  EntryKinds* const kinds_;
};

}  // namespace

std::string ReadRangeFilterOptions(const RangeFilterOptions& options,
                                   filter::RangeEntryOptions* entries) {
  entries->is_auto = options.prefixes == kChosenPrefixes;
  if (!entries->is_auto && !KindsOfText(&entries->kinds).ReadAll(options.prefixes)) {
    return support::StrCat(
        "prefixes is ", support::Quoted(options.prefixes),
        "; allowed: auto, or a list as in 4,124bits,after0x2f,after0x3a@1+2 of up to ",
        filter::kMaxCellLengths, " different lengths of 1 to ", filter::kMaxCellBytes,
        " bytes or 1 to ", filter::kMaxCellBits, " bits and different delimiters with up to ",
        filter::kMaxPrefixKinds, " occurrences of 1 to ", filter::kMaxDepth);
  }
  if (!(options.memory_percent >= kLeastPercent && options.memory_percent <= kMostPercent)) {
    return support::StrCat("memory_percent is ", support::DoubleText(options.memory_percent),
                           "; allowed: ", kLeastPercent, " to ", kMostPercent);
  }
  FilterOptions point_filter;
  point_filter.format = options.format;
  point_filter.bits_per_key = options.bits_per_key;
  std::string wrong = filter::ValidateStatic(point_filter);
  if (!wrong.empty()) return wrong;
  if (options.max_bytes_per_table != 0 && options.max_bytes_per_table < kLeastBytesPerTable) {
    return support::StrCat("max_bytes_per_table is ", options.max_bytes_per_table,
                           "; allowed: 0, or from ", kLeastBytesPerTable, " on");
  }
  entries->memory = options.memory_percent / 100;
  entries->format = options.format;
  entries->bits_per_key = options.bits_per_key;
  entries->max_bytes = options.max_bytes_per_table;
  return "";
}

}  // namespace bloomline::engine

namespace bloomline {

std::string RangeFilterOptions::Validate() const {
  filter::RangeEntryOptions entries;
  return engine::ReadRangeFilterOptions(*this, &entries);
}

}  // namespace bloomline
