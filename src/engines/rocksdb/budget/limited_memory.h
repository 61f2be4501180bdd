// RocksDBFilterOptions::memory_bytes, as the policy follows it.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "src/engines/rocksdb/levels/level_choice.h"
#include "src/engines/rocksdb/options/policy_settings.h"

namespace bloomline {

// Returns the rules of the settings, with fewer bits per key if the memory is limited. The thread
// is about to write the file of the context. Without an account, the bits stay; the database's log
// has a line, but for SstFileWriter, which belongs to no database. Throws nothing.
LevelRules RulesWithinMemory(const PolicySettings& settings,
                             const ROCKSDB_NAMESPACE::FilterBuildingContext& context);

// The account of this version that counts the files of a database with these options. Null: there
// is none. May throw bad_alloc.
FilterAccount* AccountAmong(const ROCKSDB_NAMESPACE::DBOptions& database);

// Refuses limited memory for a database without a FilterAccount: it would have no effect.
ROCKSDB_NAMESPACE::Status CheckAccount(const RocksDBFilterOptions& options,
                                       const ROCKSDB_NAMESPACE::DBOptions& database);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_
