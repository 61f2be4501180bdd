#ifndef BLOOMLINE_ENGINES_ROCKSDB_POLICY_H_
#define BLOOMLINE_ENGINES_ROCKSDB_POLICY_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/options/mutable_settings.h"

namespace bloomline::engine {

// NewRocksDBFilterPolicy without registration and without stderr. `error` must not be null.
std::unique_ptr<FilterPolicy> MakeRocksDBFilterPolicy(
    const RocksDBFilterOptions& options, std::string* error,
    RibbonOptions ribbon_options = RibbonOptions::kOwn);

// For RocksDB's registry, which makes a policy by its id and then configures it. bits_per_key is
// the text in the id. Never null: what is wrong with the id (wrong_id, if not empty, or the bits)
// makes a policy with a Refusal.
std::unique_ptr<FilterPolicy> MakeNamedRocksDBFilterPolicy(
    const std::string& id, std::optional<std::string_view> bits_per_key, std::string wrong_id);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_POLICY_H_
