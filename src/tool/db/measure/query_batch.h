// Queries of missing keys, many at a time.
#ifndef BLOOMLINE_TOOL_DB_MEASURE_QUERY_BATCH_H_
#define BLOOMLINE_TOOL_DB_MEASURE_QUERY_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/tool/db/measure/measure_file.h"
#include "src/tool/db/table_filters.h"

namespace bloomline::tool::db {

// Queries that wait for one filter.
class QueryBatch {
 public:
  // False with *error: damaged. *not_measured: why a filter cannot be queried.
  bool Add(TableFilters* filters, uint64_t filter, std::string_view key, Queries* all,
           Queries* of_shape, std::string* not_measured, std::string* error) {
    if (size_ != 0 && (size_ == kBatch || bytes_.size() >= kMostBytes || filter != filter_) &&
        !Flush(filters, not_measured, error)) {
      return false;
    }
    filter_ = filter;
    entries_[size_++] = {bytes_.size(), key.size(), all, of_shape};
    bytes_.append(key);
    return true;
  }

  bool Flush(TableFilters* filters, std::string* not_measured, std::string* error) {
    const size_t n = size_;
    size_ = 0;
    if (n == 0) return true;
    const engine_filters::EngineFilter* filter = filters->At(filter_, error);
    if (filter == nullptr) return false;
    if (!filter->CanQuery()) {
      *not_measured = filter->why();
    } else {
      std::string_view keys[kBatch];
      bool may_match[kBatch];
      for (size_t i = 0; i < n; ++i) {
        keys[i] = std::string_view(bytes_.data() + entries_[i].begin, entries_[i].length);
      }
      filter->MayMatch(n, keys, may_match);
      for (size_t i = 0; i < n; ++i) {
        entries_[i].all->Add(may_match[i]);
        entries_[i].of_shape->Add(may_match[i]);
      }
    }
    bytes_.clear();
    return true;
  }

 private:
  static constexpr size_t kBatch = 256;
  static constexpr size_t kMostBytes = 1 << 20;  // and a key: a key may have megabytes
  struct Entry {
    size_t begin;
    size_t length;
    Queries* all;
    Queries* of_shape;
  };
  std::string bytes_;
  Entry entries_[kBatch];
  size_t size_ = 0;
  uint64_t filter_ = 0;
};

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_MEASURE_QUERY_BATCH_H_
