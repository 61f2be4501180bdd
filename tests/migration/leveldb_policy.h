// LevelDB policies by their filters.
#ifndef BLOOMLINE_TESTS_MIGRATION_LEVELDB_POLICY_H_
#define BLOOMLINE_TESTS_MIGRATION_LEVELDB_POLICY_H_

#include <leveldb/filter_policy.h>

#include <memory>
#include <string>

#include "tests/migration/database.h"

namespace bloomline::tests {

constexpr char kOwnName[] = "my.Filter";

// Counts the answers of the wrapped policy by the kind of the filter.
class CountingLevelDBPolicy : public leveldb::FilterPolicy {
 public:
  explicit CountingLevelDBPolicy(Filter filter, const Denial& denial = Denial());
  const char* Name() const override;
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override;
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override;
  const FilterCounts& counts() const { return counts_; }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
  const Denial denial_;
  mutable FilterCounts counts_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_LEVELDB_POLICY_H_
