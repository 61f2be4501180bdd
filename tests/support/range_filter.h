// A range filter, written and opened.
#ifndef BLOOMLINE_TESTS_SUPPORT_RANGE_FILTER_H_
#define BLOOMLINE_TESTS_SUPPORT_RANGE_FILTER_H_

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "src/filter/container/trailer.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_property.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/table/kernel_table.h"

namespace bloomline::tests {

inline filter::EntryKinds Kinds(std::initializer_list<filter::EntryKinds::Cell> cells,
                                std::initializer_list<filter::EntryKinds::Prefix> prefixes = {}) {
  filter::EntryKinds kinds;
  for (const auto& cell : cells) kinds.cells[kinds.num_cells++] = cell;
  for (const auto& prefix : prefixes) kinds.prefixes[kinds.num_prefixes++] = prefix;
  return kinds;
}

// The memory per key, for the mean of 1, in the last level, the one above it, and others.
constexpr double kLevelMemory[] = {1 / 1.51, 5 / 1.51, 16 / 1.51};

inline filter::RangeEntryOptions EntriesOf(const filter::EntryKinds& kinds) {
  filter::RangeEntryOptions options;
  options.kinds = kinds;
  options.memory = kLevelMemory[0];
  return options;
}

// `memory` is that of all levels, of which each has a tenth of the keys of the next one.
inline filter::RangeEntryOptions AutoEntries(double memory, int num_levels_below = 0) {
  filter::RangeEntryOptions options;
  options.is_auto = true;
  options.memory = memory * kLevelMemory[std::min(num_levels_below, 2)];
  options.is_last_level = num_levels_below == 0;
  return options;
}

constexpr double kRangeBitsPerKey = 16;

// The value of the property for the next keys.
inline std::string RangesOf(const std::set<std::string>& keys, filter::RangeEntries* entries) {
  for (const std::string& key : keys) entries->Add(key);
  return entries->Finish();
}

class WrittenRanges {
 public:
  explicit WrittenRanges(std::string bytes)
      : bytes_(std::move(bytes)), table_(filter::OpenedTable(bytes_, kernels::ActiveKernel())) {}
  WrittenRanges(const std::set<std::string>& keys, filter::RangeEntryOptions options, Format format,
                uint64_t seed = 0)
      : WrittenRanges(Written(keys, options, format, seed)) {}
  WrittenRanges(const WrittenRanges&) = delete;  // it refers to its bytes
  WrittenRanges& operator=(const WrittenRanges&) = delete;

  bool MayMatch(std::string_view begin, std::string_view end) const {
    return filter::RangeMayMatch(table_.ranges, begin, end);
  }
  // As if no limits of bytes were known.
  bool MayMatchWithoutLimits(std::string_view begin, std::string_view end) const {
    filter::OpenRanges ranges = table_.ranges;
    ranges.field.key_limits = {};
    ranges.limits = filter::KeyLimits(ranges.field);
    return filter::RangeMayMatch(ranges, begin, end);
  }
  const std::string& bytes() const { return bytes_; }
  bool is_understood() const { return table_.ranges.is_understood; }
  std::string_view last_key() const { return table_.last_key; }
  const filter::RangeField& field() const { return table_.ranges.field; }
  const filter::OpenRanges& ranges() const { return table_.ranges; }
  // The filter in the value.
  std::string_view filter() const {
    size_t begin = 7;
    for (const size_t length : {1, 3, 5}) {
      begin += kernels::LoadLittleEndian16(bytes_.data() + length);
    }
    return std::string_view(bytes_).substr(begin);
  }
  filter::Payload entries() const {
    return field().kinds.empty() ? filter::Payload{} : filter::DecodeTrailer(filter());
  }

 private:
  static std::string Written(const std::set<std::string>& keys, filter::RangeEntryOptions options,
                             Format format, uint64_t seed) {
    options.format = format;
    options.bits_per_key = kRangeBitsPerKey;
    options.seed = seed;
    filter::RangeEntries entries(options);
    return RangesOf(keys, &entries);
  }

  const std::string bytes_;
  const filter::TableRanges table_;
};

// Whether a key lies in [begin, end).
inline bool HasKey(const std::set<std::string>& keys, const std::string& begin,
                   const std::string& end) {
  const auto first = keys.lower_bound(begin);
  return first != keys.end() && *first < end;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_RANGE_FILTER_H_
