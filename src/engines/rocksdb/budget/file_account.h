// The filters of the table files that databases have. Knows nothing of RocksDB: account_listener.cc
// translates its events.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/sizing/left_over.h"

namespace bloomline::engine {

struct FilterSize {
  uint64_t bytes = 0;
  uint64_t keys = 0;
};

// Sums over the files that no running compaction replaces. The inputs of compactions go soon, and
// their outputs count once they are written. If both counted, all new files would get half of their
// bits during a compaction of the whole database.
struct FileSums {
  // The number 1 in the units of FileSums for shares of the keys.
  static constexpr double kAllKeys = uint64_t{1} << 40;

  uint64_t live_keys() const { return keys + pending_keys + unfiltered_keys; }

  uint64_t bytes = 0;
  uint64_t keys = 0;
  // Keys that running compactions have read but not yet written.

  uint64_t pending_keys = 0;
  // The keys of old files without a filter, which may get one when they are rewritten.
  uint64_t unfiltered_keys = 0;
  // For files that were written while the account existed: their keys, and the sum of their shares
  // of all keys that were live when they were written, in units of 1 / kAllKeys.
  uint64_t dated_keys = 0;
  uint64_t dated_shares = 0;
};

// One map of the files of several databases. File numbers are unique in a database. Calls for a
// database that was not begun, or a file that is not known, change nothing. Thread-safe.
class FileAccount {
 public:
  using FileNumbers = std::vector<uint64_t>;

  FileAccount() = default;
  ~FileAccount();
  FileAccount(const FileAccount&) = delete;
  FileAccount& operator=(const FileAccount&) = delete;

  void BeginDatabase(const std::string& database);
  // The database was closed.
  void EndDatabase(const std::string& database);

  // Job `job` has written a file.
  void Create(const std::string& database, uint64_t number, int job, const FilterSize& filter);
  // A file came from outside. Does nothing if the file is known.
  void Find(const std::string& database, uint64_t number, const FilterSize& filter);
  void Remove(const std::string& database, uint64_t number);

  void BeginCompaction(const std::string& database, int job, const FileNumbers& inputs);
  // If the compaction succeeded, the inputs that are not among the outputs are gone.
  void EndCompaction(const std::string& database, int job, bool succeeded,
                     const FileNumbers& inputs, const FileNumbers& outputs);

  // Files that existed before are awaited until Read or Remove is called for each. Returns the
  // files that were not known.
  FileNumbers Await(const std::string& database, const FileNumbers& live);
  void Read(const std::string& database, uint64_t number, const FilterSize& filter);
  // Whether Await was called for each database, and all files have been read.
  bool is_complete() const;

  FileSums sums() const;

  // The column family of the creation once all running jobs have ended, with the new file at
  // `level`. The filters of old files that were not read count with mean_bits of memory per key.
  // Files of the last level count as without keys unless fills_bottom. Returns false if the
  // database, the family or the level is not known: the file then gets the promised mean.
  bool Describe(const FileCreation& creation, int level, double mean_bits, bool fills_bottom,
                filter::TreeFill* tree, filter::NewFilter* file) const;

  // The bits of memory per key that the file gets, and so probably the further files of its job.
  void SetBits(const FileCreation& creation, double memory_bits);

  // Whether the last job of the family with inputs in level 0 merged them, so that flushed files do
  // not move down as they are.
  bool MergesFlushes(const FileCreation& creation) const;

  // The metrics of a policy that writes a file within limit_bytes show the bytes and the limit. The
  // first policy with a limit shows them until all databases have ended.
  void ShowIn(filter::FilterCounts* counts, uint64_t limit_bytes);

 private:
  struct File {
    FilterSize filter;
    uint64_t unfiltered_keys = 0;
    uint64_t share = 0;  // of the live keys when it was written; 0: not known
    int job = kNoJob;    // the running compaction that replaces it
    bool is_awaited = false;
  };
  struct Job {
    uint64_t pending_keys() const {
      return keys_read > keys_written ? keys_read - keys_written : 0;
    }

    uint64_t keys_read = 0;
    uint64_t keys_written = 0;
  };
  struct DatabaseFiles {
    std::map<uint64_t, File> files;
    std::map<int, Job> jobs;
    bool is_listed = false;  // Await was called
  };
  static constexpr int kNoJob = -1;

  DatabaseFiles* Find(const std::string& database);
  // Adds the file to the sums, or takes it away with -1, as all numbers are modulo 2^64.
  void Count(const File& file, uint64_t times = 1);
  void Discount(const File& file) { Count(file, uint64_t{0} - 1); }
  void AddPending(DatabaseFiles* database, int job, uint64_t keys_read, uint64_t keys_written);
  void Erase(DatabaseFiles* database, std::map<uint64_t, File>::iterator file);
  void Show(filter::FilterCounts* counts, uint64_t limit_bytes);

  mutable std::mutex mutex_;
  std::map<std::string, DatabaseFiles> databases_;
  FileSums sums_;
  uint64_t num_awaited_ = 0;  // files, and databases whose files are not listed yet
  filter::FilterCounts* shown_in_ = nullptr;
  uint64_t shown_limit_bytes_ = 0;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_
