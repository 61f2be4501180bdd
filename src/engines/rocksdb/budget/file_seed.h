// The files that a database has before its first event.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_SEED_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_SEED_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"
#include "src/engines/rocksdb/budget/file_account.h"

namespace bloomline {

FilterSums FilterSumsIn(const ROCKSDB_NAMESPACE::TableProperties& properties);

// The number in a path such as DIR/000123.sst; 0 if it lacks one ("(nil)").
uint64_t FileNumber(const std::string& path);
// The path of a file in one of RocksDB's lists of files. Some versions set the number in one list
// but not in another.
std::string FilePath(const ROCKSDB_NAMESPACE::SstFileMetaData& file);

// Reads the properties of the files of one database, each once, in a separate thread. RocksDB gives
// them by column family, whose handle an event lacks, and opens each file for them, which would
// delay the write that waits for the event. Thread-safe.
class FileSeed {
 public:
  FileSeed(ROCKSDB_NAMESPACE::DB* db, std::shared_ptr<FileAccount> account);
  // Ends before the database does, after the file that is being read.
  ~FileSeed();
  FileSeed(const FileSeed&) = delete;
  FileSeed& operator=(const FileSeed&) = delete;

  // Lists the live files that the account does not know.
  void List(ROCKSDB_NAMESPACE::DB* db);
  // Begins to list and read: with 5,000 files, the list alone takes milliseconds.
  void Start(ROCKSDB_NAMESPACE::DB* db);
  // Returns when all is read, or after `time`.
  void WaitFor(std::chrono::milliseconds time);
  // Reads here what is left. Returns false if a file cannot be read: the database's log, and *error
  // if it is not null, then have the reason.
  bool ReadAll(std::string* error);

 private:
  using NumberAndPath = std::pair<uint64_t, std::string>;

  void ReadListed();
  void ReadFile(const NumberAndPath& file);

  const std::string database_;
  const std::shared_ptr<FileAccount> account_;
  const ROCKSDB_NAMESPACE::Options options_;  // that it takes to read properties

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<NumberAndPath> listed_;
  int num_reading_ = 0;
  bool ends_ = false;
  std::string error_;
  std::thread thread_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_FILE_SEED_H_
