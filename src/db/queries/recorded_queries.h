// What a program asks of a database, as it was recorded: the keys of Gets and the ranges of scans.
#ifndef BLOOMLINE_DB_QUERIES_RECORDED_QUERIES_H_
#define BLOOMLINE_DB_QUERIES_RECORDED_QUERIES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/measure/key_shape.h"

namespace bloomline::db {

// A key of Gets, or a range of scans: from `key` to before `end`.
struct RecordedQuery {
  std::string key;
  std::string end;  // empty: a Get
  uint64_t count = 1;

  bool is_scan() const { return !end.empty(); }
};

// Of one column family, each query once: Gets by their keys' bytes, then scans.
struct FamilyQueries {
  std::vector<RecordedQuery> gets;
  std::vector<RecordedQuery> scans;
  // Seeks without an upper bound, and backward ones: no filter answers them.
  uint64_t other_seeks = 0;
};

struct RecordedQueries {
  // By the number that the column family has in the database. In a file of keys there is one, 0,
  // for the family that the user names.
  std::map<uint32_t, FamilyQueries> families;
  bool is_trace = false;
  uint64_t sampled_one_of = 1;  // more queries than fit in memory: this part is kept, at random
  std::string warning;          // a trace that ends within a record; empty: none
};

// Collects queries, and keeps a random part of them if they take more than max_bytes.
class QueryCollector {
 public:
  static constexpr size_t kMaxBytes = size_t{128} << 20;

  QueryCollector(uint64_t seed, size_t max_bytes = kMaxBytes);

  void AddGet(uint32_t family, std::string_view key) { Add(family, key, ""); }
  void AddScan(uint32_t family, std::string_view begin, std::string_view end) {
    Add(family, begin, end);
  }
  void AddOtherSeek(uint32_t family) {
    if (FamilyQueries* const of_family = Family(family)) ++of_family->other_seeks;
  }
  uint64_t num_queries() const { return num_queries_; }

  // Sorts them, and puts equal ones together.
  RecordedQueries Finish();

 private:
  // Null: there are too many. A damaged trace can name millions.
  FamilyQueries* Family(uint32_t family);
  void Add(uint32_t family, std::string_view key, std::string_view end);
  void KeepHalf();

  RecordedQueries queries_;
  Random random_;
  const size_t max_bytes_;
  size_t bytes_ = 0;
  uint64_t num_queries_ = 0;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_QUERIES_RECORDED_QUERIES_H_
