// A RocksDB policy that counts the answers of another one's filters by their kind.
#ifndef BLOOMLINE_TESTS_MIGRATION_ROCKSDB_POLICY_H_
#define BLOOMLINE_TESTS_MIGRATION_ROCKSDB_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>

#include "tests/migration/database.h"

namespace bloomline::tests {

// Null without a policy. The policy that a program would use, without counting.
std::shared_ptr<const rocksdb::FilterPolicy> NewPlainRocksDBPolicy(Filter filter);

// `counts` lives as long as any reader: the block cache keeps readers.
std::shared_ptr<const rocksdb::FilterPolicy> NewCountingPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> policy, std::shared_ptr<FilterCounts> counts,
    const Denial& denial);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_ROCKSDB_POLICY_H_
