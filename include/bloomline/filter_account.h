// Counts the bytes that the filters of RocksDB databases take, exactly, as soon as RocksDB reports
// a file. RocksDBFilterOptions::memory_bytes needs it.
//
//   std::shared_ptr<bloomline::FilterAccount> account = bloomline::NewFilterAccount(&error);
//   if (account == nullptr) return 1;  // error says why
//   db_options.listeners.push_back(account);
//   filter_options.memory_bytes = uint64_t{2} << 30;
//   table.filter_policy = bloomline::NewRocksDBFilterPolicy(filter_options, &error);
//
// In an option string, `listeners=bloomline`. Each string creates a separate account. The OPTIONS
// files that RocksDB writes name it, so that loaded options have an account again.
//
// Link with bloomline::rocksdb.
#ifndef BLOOMLINE_FILTER_ACCOUNT_H_
#define BLOOMLINE_FILTER_ACCOUNT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/listener.h"

namespace bloomline {

// Counts the filters of the live files of all databases that have it among DBOptions::listeners,
// of all column families and filter policies. RocksDB tells it what files are written, ingested and
// deleted.
//
// Files that are there when a database is opened, and those that it then writes from its log, are
// read by a thread that the first flush, compaction or ingestion begins. That write waits for it up
// to 20 ms. Until all files are read, new files within a limit of memory get the fewest bits per
// key, 3. CountFiles reads them earlier. A database that is closed is forgotten, after at most one
// more file was opened. Files of a database without writes (read-only, secondary) are not counted.
//
// Thread-safe. May outlive the databases, and databases share its ownership.
class FilterAccount : public ROCKSDB_NAMESPACE::EventListener {
 public:
  ~FilterAccount() override;

  // The bytes of the filters: the sum of TableProperties::filter_size of all live files that no
  // running compaction replaces, and of the files that flushes and compactions have written so far.
  // RocksDB reports no beginning of CompactFiles: its inputs count until they are deleted.
  uint64_t filter_bytes() const;

  // The keys of these files, and those that running compactions have still to write.
  uint64_t num_keys() const;

  // Counts the files of an open database now. Call it also after CreateColumnFamilyWithImport and
  // after an error from which RocksDB recovered, of which it does not report all files. Returns
  // false if the properties of a file cannot be read. *error, if it is not null, then has the
  // reason, and the file is not counted.
  bool CountFiles(ROCKSDB_NAMESPACE::DB* db, std::string* error = nullptr);

  // What RocksDB calls.
  static const char* kClassName() { return "bloomline"; }
  const char* Name() const override { return kClassName(); }
  void OnTableFileCreationStarted(
      const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info) noexcept override;
  void OnTableFileCreated(const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) noexcept override;
  void OnTableFileDeleted(const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) noexcept override;
  void OnFlushBegin(ROCKSDB_NAMESPACE::DB* db,
                    const ROCKSDB_NAMESPACE::FlushJobInfo& info) noexcept override;
  void OnCompactionBegin(ROCKSDB_NAMESPACE::DB* db,
                         const ROCKSDB_NAMESPACE::CompactionJobInfo& info) noexcept override;
  void OnCompactionCompleted(ROCKSDB_NAMESPACE::DB* db,
                             const ROCKSDB_NAMESPACE::CompactionJobInfo& info) noexcept override;
  void OnExternalFileIngested(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) noexcept override;
  void OnColumnFamilyHandleDeletionStarted(
      ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle) noexcept override;

 private:
  const void* GetOptionsPtr(const std::string& name) const override;

  friend std::unique_ptr<FilterAccount> MakeFilterAccount();
  struct Impl;
  explicit FilterAccount(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

// Returns an account for DBOptions::listeners. One account may be in the options of several
// databases. Also calls RegisterBloomline(). Null if RocksDB has another version at run time:
// *error then has the reason; if `error` is null, stderr has it.
std::shared_ptr<FilterAccount> NewFilterAccount(std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_ACCOUNT_H_
