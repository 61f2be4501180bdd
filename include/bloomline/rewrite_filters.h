// New filters for the table files of a RocksDB database that is in use (docs/operating.md). Link
// bloomline::rocksdb.
#ifndef BLOOMLINE_REWRITE_FILTERS_H_
#define BLOOMLINE_REWRITE_FILTERS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bloomline/cpp17.h"
#include "rocksdb/db.h"

namespace bloomline {

struct RewriteProgress {
  uint64_t files_done = 0;
  uint64_t files_to_rewrite = 0;
  uint64_t bytes_done = 0;
  uint64_t bytes_to_rewrite = 0;
};

struct RewriteOptions {
  // Also rewrites files that already have the wanted filter.
  bool all_files = false;

  // Average bytes of table files per second; 0 means no limit. Within a file, only
  // DBOptions::rate_limiter limits the speed.
  uint64_t bytes_per_second = 0;

  // If another thread sets it, the call ends after the current file (in RocksDB 11.9, during it).
  std::atomic<bool>* cancel = nullptr;

  // Called before each file and at the end, on the calling thread. Must not throw.
  std::function<void(const RewriteProgress&)> progress;

  // Only reports what a rewrite would do.
  bool dry_run = false;

  // Also rewrites files of level 0; FIFO uses only this level.
  bool include_level0 = false;
};

// Why a file still lacks the filter it should have.
enum class RewriteSkip {
  kDamaged,  // its checksums are wrong, or it cannot be read
  kNoSpace,  // too little disk space is free
  kBusy,     // another compaction has it and may give it a new filter
  kLeft,     // the call ended earlier: it was cancelled, a dry run, or failed
};

// Experimental.
struct RewriteReport {
  struct Skipped {
    std::string path;
    uint64_t bytes = 0;
    RewriteSkip reason;
    std::string text;  // from RocksDB; may be empty
  };
  struct Filters {
    uint64_t files = 0;
    uint64_t file_bytes = 0;
    uint64_t filter_bytes = 0;
  };

  std::string column_family;
  bool is_dry_run = false;
  uint64_t files = 0;                  // examined
  uint64_t level0_files_left = 0;      // not examined
  uint64_t last_level_files_left = 0;  // not examined
  uint64_t files_to_rewrite = 0;       // that needed a new filter
  uint64_t bytes_to_rewrite = 0;
  uint64_t files_rewritten = 0;
  uint64_t chained_files = 0;  // of these, rewritten together with neighbours
  uint64_t files_gone = 0;     // another compaction has replaced them, or the family was dropped
  uint64_t bytes_read = 0;     // of rewritten files
  uint64_t bytes_written = 0;
  double seconds = 0;
  std::vector<Skipped> skipped;
  // All examined files by kind: "bloomline blocked", "RocksDB Ribbon", "none",
  // "bloomline compact (before 0.4.0)".
  std::map<std::string, Filters> before;
  std::string ended_by;  // the reason if the call ended early, such as "cancelled"

  // Whether no file that needed a new filter is left.
  bool IsComplete() const { return skipped.empty() && ended_by.empty(); }

  std::string ToString() const;
};

// Gives files of the column family the filter that its policy writes now, last level first, each in
// its level. `report` may be null.
//
// A file is rewritten if the policy would write a filter of another kind for its level and number
// of keys, or if the bits per key differ by more than 2 % plus a 64-byte block (more with
// partitions and optimize_filters_for_memory). For a new prefix extractor, use all_files.
//
// Each file's checksums are verified first, and 256 MiB of disk space stay free. Files that fail
// are skipped and reported.
//
// Neighbouring files that share a user key are rewritten together. The last level is skipped with
// allow_ingest_behind, and with preclude_last_level_data_seconds in universal compaction. The
// compaction filter and merge operator run. A rewrite resets the age for
// periodic_compaction_seconds, but not for ttl.
//
// Returns false and sets *error (may be null) if the tables are not block-based, there is no filter
// policy, the database is read-only or secondary, manual compactions are disabled, or a compaction
// fails; RocksDB may then refuse writes. Skipped files and `cancel` are not errors. Always fills
// the report.
//
// Thread-safe. Concurrent calls for one family rewrite some files twice.
bool RewriteFilters(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family,
                    const RewriteOptions& options, RewriteReport* report,
                    std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_REWRITE_FILTERS_H_
