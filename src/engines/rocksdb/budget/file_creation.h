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

#include <memory>

#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline {

void BeginFileCreation(std::shared_ptr<FileAccount> account);
void EndFileCreation();

// Null: a file of a program without an account, or of SstFileWriter. Valid until this thread calls
// one of the others.
FileAccount* AccountOfCreation();

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_
