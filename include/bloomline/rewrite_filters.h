// New filters for the table files that a RocksDB database already has.
//
//   bloomline::RewriteOptions options;
//   options.bytes_per_second = 20 << 20;
//   bloomline::RewriteReport report;
//   std::string error;
//   const bool ok = bloomline::RewriteFilters(db, db->DefaultColumnFamily(), options, &report,
//                                             &error);
//   std::cout << report.ToString();
//
// A file keeps its filter until a compaction rewrites it, which in a cold database takes months.
// RewriteFilters rewrites each file that needs it alone, at its level, with DB::CompactFiles. The
// new file has the same keys, the same level and the filter of the policy that is set now. The
// database stays in use. The disk needs room for one more file. docs/operating.md has figures, and
// what a rewrite changes besides the filter.
//
// Link with bloomline::rocksdb.
#ifndef BLOOMLINE_REWRITE_FILTERS_H_
#define BLOOMLINE_REWRITE_FILTERS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rocksdb/db.h"

namespace bloomline {

struct RewriteProgress {
  uint64_t files_done = 0;
  uint64_t files_to_rewrite = 0;
  uint64_t bytes_done = 0;
  uint64_t bytes_to_rewrite = 0;
  std::string next_path;  // empty: there is none
};

struct RewriteOptions {
  // Rewrites every file, also one whose filter is as wanted. Each such call begins anew.
  bool all_files = false;

  // The most bytes of table files that are rewritten in a second, on average; 0: no limit. Each
  // file is rewritten at full speed, and a pause follows until the average is right: with 64 MB
  // files and 20 MB a second, 3.2 s from one file to the next. Within a file, only
  // DBOptions::rate_limiter limits the speed. The program's flushes share it, so RewriteFilters
  // does not change it.
  uint64_t bytes_per_second = 0;

  // The call ends soon after another thread sets this to true: after the present file or, in late
  // versions of RocksDB (11.9, not 9.10), within it. Null: the call cannot be cancelled.
  std::atomic<bool>* cancel = nullptr;

  // Called before each file and at the end, on the thread of the call. Must not throw.
  std::function<void(const RewriteProgress&)> progress;

  // Only finds out what a rewrite would do.
  bool dry_run = false;

  // Also rewrites files of level 0, which compactions mostly replace soon. FIFO databases have no
  // others.
  bool include_level0 = false;
};

// Why a file that should have a new filter has none.
enum class RewriteSkip {
  kDamaged,  // its checksums are wrong, or it cannot be read; RocksDB's repair or a backup helps
  kNoSpace,  // too little of the disk is free
  kBusy,     // another compaction had it until the end of the call, and may give it a new filter
  kLeft,     // the call ended before: cancelled, dry run or an error
  kSame,     // it was rewritten, and its new filter is not the one that was expected
};

// "damaged", "no space", "busy", "left", "same".
const char* RewriteSkipName(RewriteSkip reason);

struct RewriteReport {
  struct Skipped {
    std::string path;
    uint64_t bytes = 0;
    RewriteSkip reason;
    std::string text;  // what RocksDB says of it; may be empty
  };
  struct Filters {
    uint64_t files = 0;
    uint64_t file_bytes = 0;
    uint64_t filter_bytes = 0;
  };

  std::string column_family;
  bool is_dry_run = false;
  bool is_dropped = false;             // the family was dropped meanwhile; its files are gone
  uint64_t files = 0;                  // that were looked at
  uint64_t level0_files_left = 0;      // not looked at, for lack of include_level0
  uint64_t last_level_files_left = 0;  // not looked at: RewriteFilters says why
  uint64_t files_to_rewrite = 0;       // that needed a new filter
  uint64_t bytes_to_rewrite = 0;
  uint64_t files_rewritten = 0;
  uint64_t chained_files = 0;  // of these, rewritten together with neighbours
  uint64_t files_gone = 0;     // another compaction has replaced them: with new filters
  uint64_t bytes_read = 0;     // of rewritten files
  uint64_t bytes_written = 0;
  double seconds = 0;
  // The least time that a dry run foresees by bytes_per_second; 0 without it.
  double estimated_seconds = 0;
  std::vector<Skipped> skipped;
  // By kind: "bloomline blocked", "RocksDB Bloom", "none"; behind that what else the filters have:
  // ", ranges". All files that were looked at.
  std::map<std::string, Filters> before;
  std::map<std::string, Filters> after;  // what they have at the end, without those gone
  std::string ended_by;                  // why the call ended early: "cancelled"; empty: it did not

  // Every file that was looked at has the filter that it should have.
  bool IsComplete() const { return skipped.empty() && ended_by.empty(); }
  // Some lines, with a sentence for each thing to do. Names up to 20 files of each kind.
  std::string ToString() const;
};

// Gives files of the column family the filter that its policy writes now, whichever policy that is,
// level by level from the last one up. `report` may be null.
//
// A file is rewritten if its filter has another kind than the policy would write for the file's
// level and number of keys, or if the bits per key differ by more than 2 % and by more than a block
// of 64 bytes. Wider limits hold where the policy's bits are known less exactly: 2 % and 128 bytes
// for each partition of a partitioned filter; 10 % and that with entries for ranges, where more
// bits are always right; 2 %, 128 bytes and a page with optimize_filters_for_memory; and 25 % and
// that if the allocator then has few sizes, as jemalloc has. A new prefix extractor, or another
// choice of range entries, is not noticed: all_files takes such files.
//
// Each file's checksums are compared before the rewrite, and 256 MiB of the disk stay free: RocksDB
// would refuse all writes after a compaction that finds damage or no room. Files that fail are
// skipped and reported. If the file system does not tell how much is free, that is not checked.
// When all else is done, the call waits up to a minute for files that other compactions have taken.
//
// The call needs no state. However it ended, even by a kill, the next one finds the files
// that are left by their filters; if there are none, it writes nothing. It opens each file once and
// reads its filter.
//
// Files whose neighbours have the same user key at their ends (RocksDB keeps such files together)
// are rewritten with them in one compaction. Files of the last level are left out with
// allow_ingest_behind, and with preclude_last_level_data_seconds in universal compaction.
//
// As in any compaction, the compaction filter and the merge operator run, and obsolete entries may
// go. The age for periodic_compaction_seconds begins anew; that for ttl is kept.
//
// Returns false, with *error unless it is null, if the column family has no block-based tables or
// no filter policy, if the database is read-only or a secondary, if manual compactions are disabled
// (DB::DisableManualCompaction), or if a compaction fails. Then RocksDB may refuse writes; *error
// says so. The report is filled in all cases. Damaged files, missing space, `cancel` and a family
// that is dropped are no errors: see the report.
//
// Thread-safe. Two calls for one column family at a time rewrite some files twice.
bool RewriteFilters(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family,
                    const RewriteOptions& options, RewriteReport* report,
                    std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_REWRITE_FILTERS_H_
