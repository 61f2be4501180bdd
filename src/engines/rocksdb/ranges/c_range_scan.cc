// RangeScan in C, with RocksDB's C functions alone: C++ programs have range_scan.cc.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/c_rocksdb.h"
#include "rocksdb/version.h"
#include "src/filter/ranges/range_property.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/table/kernel_table.h"
#include "src/support/c_error.h"

#if ROCKSDB_MAJOR > 11 || (ROCKSDB_MAJOR == 11 && ROCKSDB_MINOR >= 8)

namespace bloomline {
namespace {

struct Question {
  std::string lower;
  std::string upper;
  std::atomic<int> num_below_left{16};  // as in range_scan.cc
};

std::string_view RangePropertyOf(const rocksdb_table_properties_t* table) {
  const size_t count = rocksdb_table_properties_user_collected_properties_count(table);
  for (size_t i = 0; i < count; ++i) {
    size_t size = 0;
    const char* bytes = rocksdb_table_properties_user_collected_properties_key_at(table, i, &size);
    if (std::string_view(bytes, size) != filter::kRangeProperty) continue;
    bytes = rocksdb_table_properties_user_collected_properties_value_at(table, i, &size);
    return {bytes, size};
  }
  return {};
}

unsigned char MayHaveKeys(void* state, const rocksdb_table_properties_t* table) {
  size_t size = 0;
  const char* const comparator = rocksdb_table_properties_comparator_name(table, &size);
  if (std::string_view(comparator, size) != "leveldb.BytewiseComparator") return 1;
  Question* const question = static_cast<Question*>(state);
  const filter::TableRanges opened =
      filter::OpenedTable(RangePropertyOf(table), kernels::ActiveKernel());
  if (question->lower < question->upper && !opened.last_key.empty() &&
      opened.last_key < question->lower) {
    return question->num_below_left.fetch_sub(1, std::memory_order_relaxed) > 0 ? 0 : 1;
  }
  return filter::RangeMayMatch(opened.ranges, question->lower, question->upper) ? 1 : 0;
}

void Delete(void* state) { delete static_cast<Question*>(state); }

}  // namespace
}  // namespace bloomline

extern "C" uint8_t bloomline_rocksdb_readoptions_set_range(rocksdb_readoptions_t* options,
                                                           const char* lower, size_t lower_bytes,
                                                           const char* upper, size_t upper_bytes,
                                                           char** errptr) {
  return bloomline::support::OrSetError(errptr, [&](std::string* error) {
    if (options == nullptr) *error = "options is NULL";
    if (options == nullptr || bloomline::support::IsNullText(lower, "lower", error) ||
        bloomline::support::IsNullText(upper, "upper", error)) {
      return false;
    }
    auto question = std::make_unique<bloomline::Question>();
    question->lower.assign(lower, lower_bytes);
    question->upper.assign(upper, upper_bytes);
    const bloomline::Question& set = *question;
    rocksdb_readoptions_set_table_filter(options, question.release(), bloomline::Delete,
                                         bloomline::MayHaveKeys);
    // RocksDB keeps the addresses.
    rocksdb_readoptions_set_iterate_lower_bound(options, set.lower.data(), set.lower.size());
    rocksdb_readoptions_set_iterate_upper_bound(options, set.upper.data(), set.upper.size());
    return true;
  });
}

#else

extern "C" uint8_t bloomline_rocksdb_readoptions_set_range(rocksdb_readoptions_t*, const char*,
                                                           size_t, const char*, size_t,
                                                           char** errptr) {
  return bloomline::support::OrSetError(errptr, [](std::string* error) {
    *error = "RocksDB before 11.8 has no table filters in C";
    return false;
  });
}

#endif
