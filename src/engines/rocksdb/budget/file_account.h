// The filters of the table files that databases have. Knows nothing of RocksDB: account_listener.cc
// translates its events.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
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

  uint64_t bytes = 0;  // without those of old files that were not read
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

inline constexpr int kUnknownLevel = -1;

// A file as the database lists it.
struct ListedFile {
  uint64_t number = 0;
  std::string family;
  int level = kUnknownLevel;
  uint64_t file_bytes = 0;
  uint64_t keys = 0;  // 0: unknown, so that file_bytes say them about
};

struct InputFile {
  uint64_t number = 0;
  bool is_at_base = false;           // in the smallest level of the inputs
  std::optional<FilterSize> filter;  // as in the file's properties
  uint64_t file_bytes = 0;
};

struct OutputFile {
  uint64_t number = 0;
  int level = kUnknownLevel;
};

// How large the levels of a database are at rest.
struct LevelOptions {
  filter::LevelTargets targets;   // but for base_keys and least_keys
  double base_bytes = 0;          // of level 1, if not dynamic
  bool skips_last_level = false;  // optimize_filters_for_hits
};

// One map of the files of several databases, by column family and level. File numbers are unique in
// a database. Calls for a database that was not begun, or a file that is not known, change nothing.
// Thread-safe.
class FileAccount {
 public:
  using FileNumbers = std::vector<uint64_t>;
  // Returns the live files of a database. Runs under the account's lock, so that a file that is
  // deleted afterwards is removed afterwards.
  using ListFiles = std::function<std::vector<ListedFile>(LevelOptions* options)>;

  FileAccount() = default;
  ~FileAccount();
  FileAccount(const FileAccount&) = delete;
  FileAccount& operator=(const FileAccount&) = delete;

  // Lists the files of the database when it is new to the account; if lists_again, also when the
  // level of a file is unknown or was wrong. Listed files that were not known count with the memory
  // that is promised. Returns whether it listed them.
  bool BeginDatabase(const std::string& database, const ListFiles& list, bool lists_again = true);
  // Files may be there, or in other levels, without an event. The next BeginDatabase lists again.
  void ListAgain(const std::string& database);
  // A job of the family begins. If another family had this name before, its files no longer count:
  // it was dropped, and they stay as long as somebody has its handle.
  void BeginFamily(const std::string& database, const std::string& family, uint32_t id);
  // The database was closed.
  void EndDatabase(const std::string& database);

  // A file was written at creation.level, or where its job writes if that is unknown.
  void Create(const FileCreation& creation, uint64_t number, const FilterSize& filter,
              uint64_t file_bytes);
  // A file came from outside to an unknown level.
  void Find(const std::string& database, const std::string& family, uint64_t number,
            const FilterSize& filter, uint64_t file_bytes);
  void Remove(const std::string& database, uint64_t number);

  void BeginCompaction(const std::string& database, const std::string& family, int job,
                       int base_level, int output_level, const std::vector<InputFile>& inputs);
  // If the compaction succeeded, the inputs are gone, except those of a move: all of its outputs
  // are inputs, and inputs that are no outputs were at the output level before.
  void EndCompaction(const std::string& database, const std::string& family, int job,
                     bool succeeded, const std::vector<OutputFile>& outputs);

  // The files whose filters are not known but assumed.
  FileNumbers Assumed(const std::string& database) const;
  // An assumed file has this filter.
  void Read(const std::string& database, uint64_t number, const FilterSize& filter);
  // Whether a policy with a limit uses the account, so that assumed files should be read.
  bool wants_sizes() const;

  FileSums sums() const;

  // The column family of the creation once all running jobs have ended, with the new file at
  // `level`. The filters of old files that were not read count with mean_bits of memory per key.
  // If fills_bottom is false, or RocksDB has no filters in the last level, this counts as without
  // keys, unless mean_bits is 0, for filters of another kind. Returns false if the database, the
  // family or the level is not known: the file then gets the promised mean.
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

  // How many files, families and running jobs are kept.
  size_t num_kept() const;

 private:
  static constexpr int kNoJob = -1;

  struct DatabaseFiles;
  struct Family;
  struct File {
    FilterSize filter;  // if is_assumed: without bytes, and keys may be 0
    uint64_t file_bytes = 0;
    uint64_t unfiltered_keys = 0;
    uint64_t share = 0;  // of the live keys when it was written; 0: not known
    int level = kUnknownLevel;
    int job = kNoJob;  // the running compaction that replaces it
    bool is_assumed = false;
    Family* family = nullptr;
  };
  using Files = std::map<uint64_t, File>;
  // Sums over some files.
  struct Sums {
    uint64_t files = 0;
    uint64_t keys = 0;
    uint64_t filter_bytes = 0;
    uint64_t assumed_keys = 0;   // those of `keys` whose filters are assumed
    uint64_t unknown_bytes = 0;  // the sizes of files whose keys are unknown
    uint64_t unfiltered_keys = 0;
  };
  struct Job {
    // Of files with filters: only these count for FileSums.
    uint64_t pending_keys() const {
      return read.keys > keys_written ? read.keys - keys_written : 0;
    }

    int base_level = kUnknownLevel;
    int output_level = kUnknownLevel;
    FileNumbers inputs;
    Sums read;
    uint64_t keys_written = 0;
    uint64_t bytes_written = 0;  // of filters
    // Of memory per key, in the files that it still writes. None: those of its inputs.
    std::optional<double> bits;
  };
  struct Family {
    std::string name;
    const DatabaseFiles* database = nullptr;
    std::optional<uint32_t> id;  // since the first job
    uint64_t num_files = 0;
    std::vector<Sums> levels;             // without the inputs of jobs
    std::map<uint64_t, const File*> top;  // the files that levels[0] counts
    std::map<int, Job> jobs;
    // Of all files whose keys are known: how many bytes a key takes.
    uint64_t known_keys = 0;
    uint64_t known_bytes = 0;
    uint64_t flush_keys = 0;  // of the last flushes
    bool merges_flushes = false;
  };
  struct DatabaseFiles {
    Files files;
    std::map<std::string, Family> families;
    LevelOptions options;
    bool must_list = false;
  };

  DatabaseFiles* Find(const std::string& database);
  const Family* Find(const FileCreation& creation) const;
  static double BytesOfKey(const Family& family);
  static filter::LevelFill FillOf(const Sums& sums, double bytes_of_key, double mean_bits);
  static double PendingKeys(const Job& job, double bytes_of_key);
  // The last level with files.
  static size_t LastLevel(const Family& family, const filter::TreeFill& tree);
  static void AddJob(const Job& job, double bytes_of_key, double mean_bits, filter::TreeFill* tree);

  // Adds the file to the sums, or takes it away with -1, as all numbers are modulo 2^64.
  void Count(const Files::value_type& numbered, uint64_t times = 1);
  void Discount(const Files::value_type& numbered) { Count(numbered, uint64_t{0} - 1); }
  static void CountIn(Sums* sums, const File& file, uint64_t times);
  static Family* FamilyOf(DatabaseFiles* database, const std::string& name);  // made if need be
  Files::iterator Add(DatabaseFiles* database, Family* family, uint64_t number, File file);
  void Erase(DatabaseFiles* database, Files::iterator file);
  static void EraseIfUnused(DatabaseFiles* database, Family* family);
  void SetLevel(Files::value_type* numbered, int level);
  void SetJob(Files::value_type* numbered, int job);
  void SetFilter(Files::value_type* numbered, const FilterSize& filter);  // if it is assumed
  void Show(filter::FilterCounts* counts, uint64_t limit_bytes);

  // Locked before the lock of a database, which BeginDatabase takes for its list. RocksDB calls no
  // listener and no policy under that lock.
  mutable std::mutex mutex_;
  std::map<std::string, DatabaseFiles> databases_;
  FileSums sums_;
  filter::FilterCounts* shown_in_ = nullptr;
  uint64_t shown_limit_bytes_ = 0;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_ACCOUNT_H_
