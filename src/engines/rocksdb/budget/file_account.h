// The filters of the table files that databases have, from what RocksDB says of its files. Knows
// nothing of RocksDB: account_listener.cc translates.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

struct FilterSums {
  uint64_t bytes = 0;
  uint64_t keys = 0;
};

struct FileSums {
  // One, as FileSums counts shares of the keys.
  static constexpr double kAllKeys = uint64_t{1} << 40;

  FilterSums live;
  // Of the files that no running compaction replaces: live ones, and those that flushes and
  // compactions have written so far.
  FilterSums settled;
  // Of the settled files that were written while the account existed: their keys, and the sum of
  // their shares of all keys that were live when they were written, in units of 1 / kAllKeys.
  uint64_t dated_keys = 0;
  uint64_t dated_shares = 0;
};

// The sums of the live files of several databases. RocksDB's threads report at once, so an event
// may come late: after the end of the file that it is about. A file that was removed therefore does
// not come back. File numbers are unique in a database. Thread-safe. Functions that add may throw
// bad_alloc; the file is then not counted.
class FileAccount : public std::enable_shared_from_this<FileAccount> {
 public:
  using Numbers = std::vector<uint64_t>;

  FileAccount();
  ~FileAccount();
  FileAccount(const FileAccount&) = delete;
  FileAccount& operator=(const FileAccount&) = delete;

  // Not 0, and no other account of this process ever has it.
  uint64_t id() const { return id_; }
  // Null if the account has ended, or if no shared_ptr owns it. Needs no memory.
  static std::shared_ptr<FileAccount> WithId(uint64_t id);

  // Job `job` has written a file. If it is a flush, or if a compaction of that number is running,
  // the file is not live until it ends.
  void Create(const std::string& database, uint64_t number, int job, bool is_flush,
              const FilterSums& filter);
  // The file of a flush is live. Without this, its column family was dropped meanwhile.
  void EndFlush(const std::string& database, uint64_t number);

  // A file that was there before, or that came from outside. Does nothing if it is known.
  void Find(const std::string& database, uint64_t number, const FilterSums& filter);

  void Remove(const std::string& database, uint64_t number);

  // The inputs remain live until the end. A file may be in several compactions: RocksDB may report
  // the next one before the end of the last.
  void BeginCompaction(const std::string& database, int job, const Numbers& inputs);
  // If it succeeded, `outputs` are live, and the inputs that are not among them are not.
  void EndCompaction(const std::string& database, int job, bool succeeded, const Numbers& inputs,
                     Numbers outputs);

  // From here to EndCount, every removal is remembered, so that Find can be called for files that
  // were listed before it.
  void BeginCount(const std::string& database);
  // Returns which of the live files are not known; the others are live from now on. Removes known
  // files that are not among them if `others_are_gone`.
  Numbers NotKnown(const std::string& database, const Numbers& live, bool others_are_gone);
  void EndCount(const std::string& database);

  // Forgets a database, which was closed.
  void Forget(const std::string& database);

  FileSums sums() const;
  // The same without the keys of files that have no filter, for a policy that gives them none.
  FileSums sums_of_filters() const;

  // The live filters of one database.
  uint64_t BytesOf(const std::string& database) const;

  // The policy of `counts` writes a file of column family `family`, a number of it in all databases
  // but kNoFamily, within limit_bytes; 0: without a limit.
  //
  // The metrics of one policy have the bytes of the live filters and their limit: those of the
  // first family with a limit, until it has none or its database is forgotten. Otherwise, families
  // with different policies would take turns, and an alert that waits for an hour would never fire.
  // Of another family, only another limit is shown.
  static constexpr uint64_t kNoFamily = 0;
  void ShowIn(filter::FilterCounts* counts, uint64_t family, uint64_t limit_bytes);

 private:
  // Two sums are kept: with all keys, and without those of files that have no filter.
  enum View { kAllFiles, kFilteredFiles, kNumViews };

  struct File {
    FilterSums In(View view) const {
      return {filter.bytes, view == kFilteredFiles && filter.bytes == 0 ? 0 : filter.keys};
    }

    FilterSums filter;
    // Of the live keys when it was written, in each view; 0: not known.
    uint64_t shares[kNumViews] = {};
    int num_compactions = 0;  // running ones of which it is an input
    bool is_live = true;      // not the output of a running job
  };

  // Removed files of a database, of which only the last ones are remembered: no event is as late.
  struct Removed {
    static constexpr size_t kMaxNumbers = 4096;
    std::set<uint64_t> numbers;
    std::deque<uint64_t> order;
  };

  struct Database {
    std::map<uint64_t, File> files;
    std::map<int, Numbers> inputs_of_jobs;
    Removed removed;
    int num_counts = 0;
  };

  using Files = std::map<uint64_t, File>;

  void Count(const File& file);
  void Discount(const File& file);
  uint64_t live_bytes() const { return sums_[kAllFiles].live.bytes; }
  // Calls change(&file) for a known file.
  template <typename F>
  void Change(Database* database, uint64_t number, F change);
  void Erase(Database* database, Files::iterator file);
  void RemoveFrom(Database* database, uint64_t number);
  void Release(Database* database, int job);
  // Null: no counts.
  void Show(filter::FilterCounts* counts, uint64_t family, uint64_t limit_bytes);

  // All accounts of the process, and the last id, behind a mutex of their own.
  static std::mutex all_mutex_;
  static FileAccount* all_;
  static uint64_t last_id_;
  FileAccount* next_ = nullptr;
  uint64_t id_ = 0;

  mutable std::mutex mutex_;
  std::map<std::string, Database> databases_;
  FileSums sums_[kNumViews];
  // Accounts whose policies have the same text add to the same counts. Null: no limit is known.
  filter::FilterCounts* shown_in_ = nullptr;
  uint64_t shown_family_ = kNoFamily;
  uint64_t shown_limit_bytes_ = 0;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_
