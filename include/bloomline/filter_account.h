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
// counted before its first flush, compaction or ingestion, in the thread of that: the properties of
// each file are read. CountFiles counts them earlier. A database that is closed is forgotten. Files
// of a database without writes (read-only, secondary) are not counted.
//
// Thread-safe. May outlive the databases, and databases share its ownership.
class FilterAccount : public ROCKSDB_NAMESPACE::EventListener {
 public:
  ~FilterAccount() override;

  // The bytes of the filters: the sum of TableProperties::filter_size of all live files. The
  // outputs of a flush or compaction are live when it ends, inputs until then. DB::Flush may return
  // a moment before that. RocksDB reports no end of CompactFiles: its outputs are live when they
  // are written, its inputs until they are deleted.
  uint64_t filter_bytes() const;

  // The keys of these files.
  uint64_t num_keys() const;

  // Counts the files of an open database now. Returns false if the properties of a file cannot be
  // read, or out of memory. *error, if it is not null, then has the reason, and the file is not
  // counted.
  bool CountFiles(ROCKSDB_NAMESPACE::DB* db, std::string* error = nullptr);

  // What RocksDB calls.
  static const char* kClassName() { return "bloomline"; }
  const char* Name() const override { return kClassName(); }
  void OnTableFileCreationStarted(
      const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info) override;
  void OnTableFileCreated(const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) override;
  void OnTableFileDeleted(const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) override;
  void OnFlushBegin(ROCKSDB_NAMESPACE::DB* db,
                    const ROCKSDB_NAMESPACE::FlushJobInfo& info) override;
  void OnFlushCompleted(ROCKSDB_NAMESPACE::DB* db,
                        const ROCKSDB_NAMESPACE::FlushJobInfo& info) override;
  void OnCompactionBegin(ROCKSDB_NAMESPACE::DB* db,
                         const ROCKSDB_NAMESPACE::CompactionJobInfo& info) override;
  void OnCompactionCompleted(ROCKSDB_NAMESPACE::DB* db,
                             const ROCKSDB_NAMESPACE::CompactionJobInfo& info) override;
  void OnErrorRecoveryCompleted(ROCKSDB_NAMESPACE::Status old_error) override;
  void OnExternalFileIngested(ROCKSDB_NAMESPACE::DB* db,
                              const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) override;
  void OnColumnFamilyHandleDeletionStarted(ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle) override;

 private:
  const void* GetOptionsPtr(const std::string& name) const override;

  friend std::unique_ptr<FilterAccount> MakeFilterAccount();
  struct Impl;
  explicit FilterAccount(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

// Returns an account for DBOptions::listeners. One account may be in the options of several
// databases. Also calls RegisterBloomline(). Null if RocksDB has another version at run time, or
// out of memory: *error then has the reason; if `error` is null, stderr has it.
std::shared_ptr<FilterAccount> NewFilterAccount(std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_ACCOUNT_H_
