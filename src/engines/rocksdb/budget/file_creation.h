// The account that counts the file that this thread is about to write. RocksDB calls in one thread
// (read in 7.8 to 11.9: BuildTable, CompactionJob::OpenCompactionOutputFile):
//
//   listener->OnTableFileCreationStarted
//   policy->GetBuilderWithContext
//   listener->OnTableFileCreated
//
// So the policy finds the account of the database, which the context of a builder does not name.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_

#include <memory>
#include <utility>

#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline {

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

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_
