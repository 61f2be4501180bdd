// What a table has of ranges that scans ask for, and what its filter says of them.
#ifndef BLOOMLINE_DB_MEASURE_FILE_SCAN_H_
#define BLOOMLINE_DB_MEASURE_FILE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "src/db/directory/database.h"
#include "src/db/table_filters.h"

namespace bloomline::db {

// The keys from `begin` to before `end`, in the order of bytes.
struct Range {
  std::string begin, end;
  size_t width = 0;        // the kind that it is of
  uint64_t count = 1;      // how many scans ask for it
  std::string_view reach;  // the greatest end of this range and those before it
  bool has_key = false;
  uint32_t files = 0;
  uint32_t rejected = 0;

  bool operator<(const Range& other) const {
    return std::tie(begin, end, width) < std::tie(other.begin, other.end, other.width);
  }
  bool operator==(const Range& other) const {
    return std::tie(begin, end, width) == std::tie(other.begin, other.end, other.width);
  }
};

// Of ranges in their order.
void SetReaches(std::vector<Range>* ranges);

struct RangeAnswer {
  size_t range;
  bool has_key;
  bool is_rejected;
};

// Where scans of ranges begin in a table. Not thread-safe.
class FileScan {
 public:
  explicit FileScan(const sstable::Table& table) : table_(table), keys_(table) {}
  // As if the table had this filter in place of its own.
  FileScan(const sstable::Table& table, const engine_filters::EngineFilter* other)
      : table_(table), keys_(table), other_(other) {}

  // Appends an answer for each of the ranges that a scan looks for in the file. They are in their
  // order, with reaches. False with *error: damaged.
  bool Run(const directory::TableFile& file, const std::vector<Range>& ranges,
           std::vector<RangeAnswer>* answers, std::string* error);

 private:
  void Seek(std::string_view key);
  bool IsRejected(const Range& range, bool* is_rejected, std::string* error);

  const sstable::Table& table_;
  const FilterKeys keys_;
  const engine_filters::EngineFilter* const other_ = nullptr;
  TableFilters filters_;
  std::string target_;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_MEASURE_FILE_SCAN_H_
