// The database in memory that self_test.cc scans, and the queries of its filters.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_SELF_TEST_DATABASE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_SELF_TEST_DATABASE_H_

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// A query for a prefix, and the range that the filter took it for. The texts are cut to what a
// std::string holds without allocating: RocksDB is no place to throw from.
struct Query {
  std::string begin, end;
  bool has_range = false;
};
struct Queries {
  static constexpr size_t kMax = 8;
  std::array<Query, kMax> kept;
  size_t count = 0;
};

struct SelfTestFamily {
  std::string name;
  ROCKSDB_NAMESPACE::ColumnFamilyOptions options;
  bool has_timestamps = false;
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle = nullptr;

  // How many files a Seek looks into.
  size_t num_files() const { return has_timestamps ? 1 : 2; }
  // The keys from `begin` to before `end`, or to the last if `end` is empty; joined by spaces.
  std::string Keys(std::string_view begin, std::string_view end, bool backward) const;
};

// Filters of three kinds, each in a family: full ones, partitions, and keys with timestamps. Throws
// only if out of memory.
class SelfTestDatabase {
 public:
  // Of the timestamps of all keys.
  static constexpr std::string_view kTimestamp{"\1\0\0\0\0\0\0\0", 8};
  // Level 0 deletes this range, in families without timestamps.
  static constexpr std::string_view kDeletedBegin = "kb";
  static constexpr std::string_view kDeletedEnd = "kbz";

  SelfTestDatabase() = default;
  ~SelfTestDatabase() { Close(); }
  SelfTestDatabase(const SelfTestDatabase&) = delete;
  SelfTestDatabase& operator=(const SelfTestDatabase&) = delete;

  // Once, and first.
  ROCKSDB_NAMESPACE::Status Make();
  ROCKSDB_NAMESPACE::DB* db() const { return db_.get(); }
  const std::vector<SelfTestFamily>& families() const { return families_; }
  // Of filters for prefixes, since the count was last set to 0.
  Queries& queries() { return queries_; }

 private:
  ROCKSDB_NAMESPACE::Status AddFamily(const char* name);
  ROCKSDB_NAMESPACE::Status WriteFamily(const SelfTestFamily& family);
  ROCKSDB_NAMESPACE::Status WriteLastLevel(const SelfTestFamily& family);
  ROCKSDB_NAMESPACE::Status WriteLevel0(const SelfTestFamily& family);
  ROCKSDB_NAMESPACE::Status Open();
  void Close();

  Queries queries_;
  filter::FilterCounts counts_{filter::kMaxCounts, {}};  // read by nobody
  std::unique_ptr<ROCKSDB_NAMESPACE::Env> env_;
  std::vector<SelfTestFamily> families_;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> db_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_SELF_TEST_DATABASE_H_
