// How accounts are made for option strings, and how a policy finds the account of a file. RocksDB
// calls these in one thread (in 7.8 to 11.9: BuildTable, CompactionJob::OpenCompactionOutputFile):
//
//   listener->OnTableFileCreationStarted
//   policy->GetBuilderWithContext
//   listener->OnTableFileCreated
//
// So the policy finds the account of the database, which the context of a builder does not name.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_

#include <memory>
#include <utility>

#include "bloomline/filter_account.h"
#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline::engine {

// Does what NewFilterAccount does, without registration and checks.
std::unique_ptr<FilterAccount> MakeFilterAccount();

// The account that counts the file which this thread is about to write.
//
// Weak: after a failed compaction, OnTableFileCreated does not come, and the thread outlives the
// account.
inline std::weak_ptr<FileAccount>& AccountOfCreation() {
  thread_local std::weak_ptr<FileAccount> account;
  return account;
}

inline void BeginFileCreation(const std::shared_ptr<FileAccount>& account) {
  AccountOfCreation() = account;
}
inline void EndFileCreation() { AccountOfCreation().reset(); }

// Returns the account and forgets it, because RocksDB asks for one builder of a file. Null if the
// program has no account for the file, or the account has ended.
inline std::shared_ptr<FileAccount> TakeAccountOfCreation() {
  return std::exchange(AccountOfCreation(), {}).lock();
}

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_
