// A RocksDB database of the keys of a shape, with the filters of a subject, and scans of it.
#ifndef BLOOMLINE_DB_BENCH_EXT_RANGES_DATABASE_H_
#define BLOOMLINE_DB_BENCH_EXT_RANGES_DATABASE_H_

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/ranges/shapes.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/policies.h"

namespace bloomline::bench::ranges {

constexpr size_t kValueBytes = 100;
constexpr double kBitsPerKey = 10;

enum class Files {
  kOwn,
  kShared,   // those of compact-ranges
  kLearned,  // written with the policy of compact-ranges, after scans of that database
};

struct Subject {
  std::string_view name;
  const char* description;
  Filter filter;
  bool has_prefixes = false;
  bool has_ranges = false;
  Files files = Files::kOwn;

  std::shared_ptr<const rocksdb::FilterPolicy> NewPolicy() const {
    return NewRocksDBPolicy({std::string(name), filter, kBitsPerKey, false, has_ranges});
  }
};

struct Scans {
  double us = 0;
  double blocks = 0;
  uint64_t num_found = 0;
  uint64_t checksum = 0;  // of the keys found
};

class Database {
 public:
  // The shape must outlive the database.
  Database(const Shape& shape, const Subject& subject,
           std::shared_ptr<const rocksdb::FilterPolicy> policy, uint64_t num_keys,
           const std::string& directory);

  const std::shared_ptr<const rocksdb::FilterPolicy>& policy() const { return policy_; }
  // Writes the keys, so that all levels have some. Returns the seconds that this took.
  double Build();
  double FilterBitsPerKey();
  // has_prefixes: filters may be asked for the range. The means of the scans.
  Scans Scan(const std::vector<Range>& ranges, bool has_prefixes);
  // Half of the keys are stored, by chance.
  double GetMicroseconds(uint64_t num_gets, uint64_t seed);

 private:
  void WaitForCompactions();

  const Shape& shape_;
  const uint64_t num_keys_;
  const std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  const TemporaryDirectory folder_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace bloomline::bench::ranges

#endif  // BLOOMLINE_DB_BENCH_EXT_RANGES_DATABASE_H_
