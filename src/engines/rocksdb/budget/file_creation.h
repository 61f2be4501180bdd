// What a listener said of the table file that this thread is about to write. RocksDB calls these in
// one thread (in 7.8 to 11.9: BuildTable, CompactionJob::OpenCompactionOutputFile):
//
//   listener->OnTableFileCreationStarted
//   policy->GetBuilderWithContext
//   the factories of table properties collectors
//   listener->OnTableFileCreated
//
// So a policy and a collector find the account of the database and the job, which their contexts do
// not name.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_

#include <memory>
#include <string>

namespace bloomline::engine {

class FileAccount;

struct FileCreation {
  // Weak: after a failed compaction, OnTableFileCreated does not come, and the thread outlives the
  // account. Empty: the database has no listener.
  std::weak_ptr<FileAccount> account;
  std::string database;
  std::string family;
  int job = -1;
  bool is_flush = false;  // or recovered from the write-ahead log
  int level = -1;         // of the builder's context, set by the policy; -1: unknown
};

// By OnTableFileCreationStarted.
void BeginFileCreation(FileCreation creation);

// By OnTableFileCreated, and by each event that begins a job: of one that failed before. Returns
// what was begun.
FileCreation EndFileCreation();

// For the policy, once per file: sets the level, and returns the creation. It forgets it as far as
// the policy is concerned: a second builder in this thread (of an SstFileWriter) gets an empty one.
FileCreation TakeFileCreation(int level);

// For a collector, once per file, likewise.
FileCreation TakeFileCreationForCollector();

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_CREATION_H_
