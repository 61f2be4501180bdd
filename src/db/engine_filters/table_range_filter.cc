#include "src/db/engine_filters/table_range_filter.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "src/filter/table/kernel_table.h"

namespace bloomline::engine_filters {
namespace {

// Sets [*begin, *end) to the keys that share their cell of `bits` bits with `key` (range_field.h).
// Returns false if this is the last cell.
bool RangeOfCell(std::string_view key, size_t bits, std::string* begin, std::string* end) {
  begin->resize(filter::CellBytes(bits));
  filter::WriteCell(key, bits, begin->data());
  *end = *begin;
  unsigned carry = 1U << (8 * begin->size() - bits);
  for (size_t i = end->size(); i-- > 0 && carry != 0; carry >>= 8) {
    carry += static_cast<unsigned char>((*end)[i]);
    (*end)[i] = static_cast<char>(carry);
  }
  // Shorter keys end where their cells have zeros.
  for (std::string* bound : {begin, end}) bound->erase(bound->find_last_not_of('\0') + 1);
  return carry == 0;
}

}  // namespace

TableRangeFilter::TableRangeFilter(std::string_view value)
    : table_(filter::OpenedTable(value, kernels::ActiveKernel())) {}

std::string TableRangeFilter::WhyUnasked(std::string_view comparator) const {
  if (!table_.ranges.is_understood) return "not understood";
  constexpr std::string_view kBytewise = "leveldb.BytewiseComparator";
  if (comparator == kBytewise) return "";
  return "comparator '" + std::string(comparator) + "'";
}

bool TableRangeFilter::MayMatch(std::string_view begin, std::string_view end) const {
  const bool is_below = !table_.last_key.empty() && table_.last_key < begin;
  return !is_below && filter::RangeMayMatch(table_.ranges, begin, end);
}

bool TableRangeFilter::PrefixMayMatch(std::string_view prefix) const {
  std::string end(prefix.substr(0, prefix.find_last_not_of('\xff') + 1));
  if (end.empty()) return true;  // no key is behind the range
  ++end.back();
  return MayMatch(prefix, end);
}

bool TableRangeFilter::RangesAroundMayMatch(std::string_view before, std::string_view key) const {
  std::string begin = std::string(before) + '\0';
  std::string end = std::string(key) + '\0';
  if (!MayMatch(key, end) || !MayMatch(begin, end)) return false;
  for (size_t i = 0; i < kinds().num_cells; ++i) {
    if (RangeOfCell(key, kinds().cells[i].bits, &begin, &end) && !MayMatch(begin, end)) {
      return false;
    }
  }
  const std::string_view searched = key.substr(0, filter::kMaxPrefixBytes);
  for (size_t i = 0; i < kinds().num_prefixes; ++i) {
    const char delimiter = static_cast<char>(kinds().prefixes[i].delimiter);
    size_t behind = searched.find(delimiter) + 1;
    for (size_t depth = 1; behind != 0; behind = searched.find(delimiter, behind) + 1, ++depth) {
      if (std::min(depth, filter::kMaxDepth) == kinds().prefixes[i].depth &&
          !PrefixMayMatch(searched.substr(0, behind))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace bloomline::engine_filters
