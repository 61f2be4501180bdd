// Which account counts the file that this thread is about to write. RocksDB calls in one thread
// (read in 7.8 to 11.9: BuildTable, CompactionJob::OpenCompactionOutputFile):
//
//   listener->OnTableFileCreationStarted
//   policy->GetBuilderWithContext
//   listener->OnTableFileCreated
//
// So the policy finds the account of the database, which the context of a builder does not name.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_

#include <cstdint>
#include <memory>

#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline {

// A thread keeps FileAccount::id(), not a pointer: glibc ends the process if a thread's first
// variable with a destructor finds no memory, and each thread that makes a filter comes here, also
// in programs without an account.
void BeginFileCreation(uint64_t account_id);
void EndFileCreation();

// Returns the account and forgets it: RocksDB asks for one builder of a file, and after a failed
// compaction, OnTableFileCreated does not come. So an id stays in a thread only if RocksDB asks for
// no builder, as for the last level with optimize_filters_for_hits, and then fails. It is gone with
// the next event of the database in this thread; until then, the files that this thread writes for
// a database without an account follow the wrong one's limit. (SstFileWriter's do not:
// RulesWithinMemory.)
//
// Null: a file of a program without an account, or the account has ended.
std::shared_ptr<FileAccount> TakeAccountOfCreation();

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_
