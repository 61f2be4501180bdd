#ifndef BLOOMLINE_ROCKSDB_FILTER_POLICY_H_
#define BLOOMLINE_ROCKSDB_FILTER_POLICY_H_

#include <memory>
#include <string>

#include "bloomline/rocksdb.h"
#include "rocksdb/filter_policy.h"

namespace bloomline {

constexpr char kRocksDBPolicyName[] = "bloomline";

// Empty, or why this RocksDB cannot be used: its internal interface changes between minor versions,
// and calls through the wrong one are undefined.
std::string RocksDBVersionMismatch();

// As NewRocksDBFilterPolicy, without registration and without stderr. `error` must not be null.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterPolicy> MakeRocksDBFilterPolicy(
    const RocksDBFilterOptions& options, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_FILTER_POLICY_H_
