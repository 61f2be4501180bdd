// Counts the filters of RocksDB databases, for RocksDBFilterOptions::memory_bytes
// (docs/operating.md).
//
//   db_options.listeners.push_back(bloomline::NewFilterAccount(&error));
//   filter_options.memory_bytes = uint64_t{2} << 30;
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

// Counts the live files of the databases whose DBOptions::listeners contain this object.
//
// The first flush, compaction or ingestion starts a thread that reads the existing files. Until all
// are read, new files under a memory limit get 3 bits per key. Databases that are closed or never
// write (read-only, secondary) are not counted.
//
// Thread-safe. May outlive the databases, which share its ownership. Only NewFilterAccount creates
// one: a subclass of your own limits nothing.
class FilterAccount : public ROCKSDB_NAMESPACE::EventListener {
 public:
  ~FilterAccount() override;

  // Sum of TableProperties::filter_size. A running compaction's outputs count; its inputs do not,
  // except in CompactFiles.
  virtual uint64_t filter_bytes() const = 0;

  // Keys in the live files, and keys that running compactions will still write.
  virtual uint64_t num_keys() const = 0;

  // Counts the files of an open database now. Also call it after CreateColumnFamilyWithImport and
  // after an error from which RocksDB recovered: RocksDB then does not report every file. Returns
  // false, with the reason in *error (may be null), if a file's properties cannot be read; that
  // file does not count.
  virtual bool CountFiles(ROCKSDB_NAMESPACE::DB* db, std::string* error = nullptr) = 0;

  static const char* kClassName() { return "bloomline.account"; }
  const char* Name() const override { return kClassName(); }
};

// Also calls RegisterBloomline(). Returns null if RocksDB has another version at run time; the
// reason is then in *error, or on stderr if `error` is null.
std::shared_ptr<FilterAccount> NewFilterAccount(std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_ACCOUNT_H_
