// Counts the filters of RocksDB databases by column family and level, for the policies of these
// databases: bits by level, limited memory (RocksDBFilterOptions) and range filters follow it.
//
//   db_options.listeners.push_back(bloomline::NewFilterAccount(&error));
//
// In option strings, `listeners=bloomline.account` creates a separate account each time. Link
// bloomline::rocksdb.
#ifndef BLOOMLINE_FILTER_ACCOUNT_H_
#define BLOOMLINE_FILTER_ACCOUNT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "bloomline/cpp17.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"

namespace bloomline {

// Counts the live files of the databases whose DBOptions::listeners contain this object, from the
// first flush, compaction or ingestion of each database until it is closed; not of read-only and
// secondary ones. Give a database only one account.
//
// Files that existed before are listed with the number of their keys; their filters count with the
// memory that the policy promises. If a policy has a limit, a thread reads the sizes of their
// filters from the files, which needs some reads for each.
//
// RocksDB does not report everything:
// - Imported files (CreateColumnFamilyWithImport) are unknown until they are compacted.
// - The levels of files are unknown from their ingestion to the next flush or compaction, and wrong
//   after CompactRange with change_level until the next compaction of these files.
// - Files that CompactFiles replaces count until they are deleted.
// CountFiles finds imported files, and all levels.
//
// Thread-safe. May outlive the databases, which share its ownership. Only NewFilterAccount creates
// one: a subclass of your own limits nothing.
class FilterAccount : public ROCKSDB_NAMESPACE::EventListener {
 public:
  ~FilterAccount() override;

  // Sum of TableProperties::filter_size over the files written, ingested or compacted since the
  // database was opened, and over all files once their filters have been read. A running
  // compaction's outputs count; its inputs do not, except in CompactFiles.
  virtual uint64_t filter_bytes() const = 0;

  // Keys in the live files, and keys that running compactions will still write.
  virtual uint64_t num_keys() const = 0;

  // Counts the files of an open database now, and reads the unknown sizes of filters. Also call it
  // after an error from which RocksDB recovered. Returns false, with the reason in *error (may be
  // null), if this is no listener of the database, or if a file's properties cannot be read; its
  // filter then does not count in filter_bytes.
  virtual bool CountFiles(ROCKSDB_NAMESPACE::DB* db, std::string* error = nullptr) = 0;

  static const char* kClassName() { return "bloomline.account"; }
  const char* Name() const override { return kClassName(); }
};

// Also calls RegisterBloomline(). Returns null if RocksDB has another version at run time; the
// reason is then in *error, or on stderr if `error` is null.
std::shared_ptr<FilterAccount> NewFilterAccount(std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_ACCOUNT_H_
