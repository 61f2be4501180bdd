#ifndef BLOOMLINE_ROCKSDB_FILTER_POLICY_H_
#define BLOOMLINE_ROCKSDB_FILTER_POLICY_H_

#include <memory>
#include <string>

#include "bloomline/filter_options.h"
#include "rocksdb/filter_policy.h"

namespace bloomline {

constexpr char kRocksDBPolicyName[] = "bloomline";

// A new policy, or null and a sentence in *error (not null). Options as in NewRocksDBFilterPolicy.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterPolicy> MakeRocksDBFilterPolicy(
    const FilterOptions& options, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_FILTER_POLICY_H_
