// One call of RewriteFilters.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_REWRITE_REWRITE_JOB_H_
#define BLOOMLINE_ENGINES_ROCKSDB_REWRITE_REWRITE_JOB_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "src/engines/rocksdb/rewrite/filter_facts.h"
#include "src/engines/rocksdb/rewrite/live_files.h"

namespace bloomline {

class RewriteJob {
 public:
  RewriteJob(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family,
             const RewriteOptions& options, RewriteReport* report);

  // See RewriteFilters.
  bool Run(std::string* error);

 private:
  struct ScannedFile {
    std::string path;
    uint64_t bytes = 0;
    FileFilter filter;
    bool is_bottommost = false;
  };
  enum class Outcome { kDone, kBusy, kEnd, kFailed };

  // Looks at all files, and returns those to rewrite.
  std::vector<uint64_t> FindFiles();
  void Look(const LiveFiles& live, int level, size_t index, const LiveFiles::File& file,
            std::vector<uint64_t>* numbers);

  bool RewriteAll(std::vector<uint64_t> numbers, std::string* error);
  Outcome RewriteOne(uint64_t number, std::string* error);
  // For a file of this size, by bytes_per_second.
  double LeastSeconds(uint64_t bytes) const;
  // Returns false if a file of the unit cannot be rewritten now, for a reason that goes to the
  // report. Files are not examined once the call is cancelled.
  bool IsFit(const LiveFiles::Unit& unit);
  ROCKSDB_NAMESPACE::Status Compact(const LiveFiles::Unit& unit, std::vector<std::string>* outputs,
                                    ROCKSDB_NAMESPACE::CompactionJobInfo* info) const;
  Outcome Judge(const ROCKSDB_NAMESPACE::Status& status, uint64_t number,
                const LiveFiles::Unit& unit, std::string* error);
  void NoteRewritten(const LiveFiles::Unit& unit, const std::vector<std::string>& outputs);

  void Skip(const LiveFiles::Unit& unit, RewriteSkip reason, const std::string& text);
  void NoteGone(uint64_t number);
  void Finish(uint64_t number);  // removes it from unfinished_
  void Forget(uint64_t number);  // removes its filter from those `after`
  void ShowProgress(uint64_t next);
  bool IsCancelled() const;
  void Sleep(double seconds) const;

  ROCKSDB_NAMESPACE::DB* const db_;
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* const column_family_;
  const RewriteOptions& options_;
  RewriteReport& report_;
  const ROCKSDB_NAMESPACE::Options db_options_;
  std::unique_ptr<TableProbe> probe_;
  std::map<uint64_t, ScannedFile> scanned_;  // by number; all files that were looked at
  std::map<uint64_t, uint64_t> unfinished_;  // numbers and bytes of files to rewrite
  uint64_t unfinished_bytes_ = 0;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_REWRITE_REWRITE_JOB_H_
