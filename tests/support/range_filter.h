// A filter with range entries, written and opened.
#ifndef BLOOMLINE_TESTS_SUPPORT_RANGE_FILTER_H_
#define BLOOMLINE_TESTS_SUPPORT_RANGE_FILTER_H_

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "src/filter/container/trailer.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/finished_filter.h"

namespace bloomline::tests {

inline filter::EntryKinds Kinds(std::initializer_list<filter::EntryKinds::Cell> cells,
                                std::initializer_list<filter::EntryKinds::Prefix> prefixes = {}) {
  filter::EntryKinds kinds;
  for (const auto& cell : cells) kinds.cells[kinds.num_cells++] = cell;
  for (const auto& prefix : prefixes) kinds.prefixes[kinds.num_prefixes++] = prefix;
  return kinds;
}

inline filter::RangeEntryOptions EntriesOf(const filter::EntryKinds& kinds) {
  filter::RangeEntryOptions options;
  options.kinds = kinds;
  options.memory = 1;
  return options;
}

inline filter::RangeEntryOptions AutoEntries(double memory, int num_levels_below = 0) {
  filter::RangeEntryOptions options;
  options.is_auto = true;
  options.memory = memory;
  options.num_levels_below = num_levels_below;
  return options;
}

constexpr double kRangeBitsPerKey = 16;

// The filter of the next keys that a writer and its entries get.
inline std::string FilterWithRanges(const std::set<std::string>& keys, bool is_partition,
                                    filter::RangeEntries* entries, filter::FilterWriter* writer) {
  entries->Add("", writer);
  for (const std::string& key : keys) {
    entries->Add(key, writer);
    writer->AddKey(key);
  }
  entries->Finish(is_partition, writer);
  return FinishedFilter(writer);
}

class RangeFilter {
 public:
  explicit RangeFilter(std::string bytes) : bytes_(std::move(bytes)) {
    payload_ = filter::DecodeTrailer(bytes_, &why_, &fields_);
    ranges_ = filter::OpenedRanges(payload_, fields_, kernels::ActiveKernel());
    filter::Extension fields = fields_;
    fields.key_limits = {};
    without_limits_ = filter::OpenedRanges(payload_, fields, kernels::ActiveKernel());
  }
  RangeFilter(const std::set<std::string>& keys, const filter::RangeEntryOptions& entries,
              Format format, bool is_partition = false, uint64_t seed = 0)
      : RangeFilter(Written(keys, entries, format, is_partition, seed)) {}
  RangeFilter(const RangeFilter&) = delete;  // it refers to its bytes
  RangeFilter& operator=(const RangeFilter&) = delete;

  bool MayMatch(std::string_view begin, std::string_view end) const {
    return filter::RangeMayMatch(ranges_, begin, end);
  }
  // As if the filter had been written before limits were.
  bool MayMatchWithoutLimits(std::string_view begin, std::string_view end) const {
    return filter::RangeMayMatch(without_limits_, begin, end);
  }
  const std::string& bytes() const { return bytes_; }
  const std::string& why() const { return why_; }
  bool is_understood() const { return ranges_.is_understood; }
  const filter::RangeField& field() const { return ranges_.field; }
  const filter::OpenRanges& ranges() const { return ranges_; }
  const filter::Payload& keys() const { return payload_; }
  const filter::Payload& entries() const { return fields_.second; }

 private:
  static std::string Written(const std::set<std::string>& keys,
                             const filter::RangeEntryOptions& entry_options, Format format,
                             bool is_partition, uint64_t seed) {
    filter::FilterWriter writer({format, kRangeBitsPerKey, seed});
    filter::RangeEntries entries(entry_options);
    return FilterWithRanges(keys, is_partition, &entries, &writer);
  }

  std::string bytes_;
  std::string why_;
  filter::Payload payload_;
  filter::Extension fields_;
  filter::OpenRanges ranges_;
  filter::OpenRanges without_limits_;
};

// Whether a key lies in [begin, end).
inline bool HasKey(const std::set<std::string>& keys, const std::string& begin,
                   const std::string& end) {
  const auto first = keys.lower_bound(begin);
  return first != keys.end() && *first < end;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_RANGE_FILTER_H_
