// A RocksDB database of five levels whose filters change while it is used.
#ifndef BLOOMLINE_TESTS_SOAK_DATABASE_H_
#define BLOOMLINE_TESTS_SOAK_DATABASE_H_

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <shared_mutex>
#include <string>

#include "tests/faults/fault_points.h"

namespace bloomline::soak {

// What a line of figures says of the files.
struct FileFigures {
  uint64_t filter_bytes = 0;
  std::map<std::string, uint64_t> files_by_policy;  // by the name that the files have
  std::string files_by_level;
};

class Database {
 public:
  struct Counts {
    uint64_t switches = 0;  // SetOptions that changed the filters
    uint64_t rewrites = 0;  // calls of RewriteFilters
    uint64_t rewritten_files = 0;
    uint64_t compactions = 0;  // by hand
    uint64_t reopened = 0;
    uint64_t injected = 0;  // failing file operations
    uint64_t resumed = 0;   // times that RocksDB refused writes and took them again
    // Of SetOptions, RewriteFilters and compactions: what a job that met an injected fault reports
    // late.
    uint64_t failed_changes = 0;
  };

  explicit Database(const std::string& path);
  ~Database();

  // Calls f with the database, which stays open meanwhile, if it is open.
  void Use(const std::function<void(rocksdb::DB*)>& f);

  // One change: of the filters, the files, or by failing files. Called by one thread. An empty
  // string, or why the database cannot go on.
  std::string Change(std::mt19937_64* random);

  // From now on, every read of a table has a changed bit.
  void PlantDamage() { points_.ArmFlip(100); }
  // From now on, filters change to none.
  void PlantNoPolicy() { has_policies_ = false; }

  FileFigures Figures();
  const Counts& counts() const { return counts_; }

 private:
  std::string Open(const std::string& policy);
  std::string Reopen(const std::string& policy);
  std::string Switch(std::mt19937_64* random);
  std::string Rewrite();
  void Compact(std::mt19937_64* random);
  std::string Fail(std::mt19937_64* random);
  std::string NextPolicy(std::mt19937_64* random) const;
  // Prints the first errors.
  void CountFailure(const char* change, const std::string& error);

  const std::string path_;
  tests::FaultPoints points_;
  std::unique_ptr<rocksdb::Env> env_;
  std::shared_mutex mutex_;              // held exclusively to open the database again
  std::atomic<bool> is_closing_{false};  // so that the threads that use it leave it
  std::unique_ptr<rocksdb::DB> db_;
  bool has_policies_ = true;
  uint64_t changes_ = 0;
  Counts counts_;
};

}  // namespace bloomline::soak

#endif  // BLOOMLINE_TESTS_SOAK_DATABASE_H_
